import { formatExactShare } from '../../presentation/text/numbers';
import { filledShares } from '../../experiments/variations/variation-shares';
import {
  apiPathOf,
  experimentCrumbs,
  type ExperimentSubject,
  pagePathOf,
  variationPagePath,
  type VariationSubject,
} from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { numberOrText } from '../forms/fields';
import { TextInput } from '../pages/form-fields';

/** Changes the name and the traffic share of a variation. */
export const VARIATION_FORM: ConsoleForm<VariationSubject> = {
  path: (subject) => variationPagePath(subject, subject.variation.id),
  crumbs: experimentCrumbs,
  title: () => 'Edit a variation',
  permission: () => 'definitions:write',
  etag: ({ variationTag }) => variationTag,
  values: ({ variation: { name, traffic_allocation: share } }) => ({
    name,
    traffic_allocation: share === null ? '' : String(share),
  }),
  Body: ({ subject, form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextInput
        form={form}
        name="traffic_allocation"
        label="Share of the participants, in percent"
        inputmode="decimal"
        hint={`Variations without a share divide the rest equally. Now: ${sharesOf(subject)}.`}
      />
    </>
  ),
  button: () => 'Save',
  call: (subject, { name = '', traffic_allocation }) => ({
    method: 'PATCH',
    path: `${apiPathOf(subject)}/variations/${subject.variation.id}`,
    body: { name, traffic_allocation: numberOrText(traffic_allocation) },
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

/** `50 % / 25 % / 25 %`, the current shares in the order of the variations */
const sharesOf = ({ experiment: { variations } }: ExperimentSubject): string =>
  filledShares(variations.map(({ traffic_allocation: share }) => share))
    .map((share) => formatExactShare(share))
    .join(' / ');
