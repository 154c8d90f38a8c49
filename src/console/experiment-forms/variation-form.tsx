import type { FormFields } from '../../common/http/json-body';
import { filledShares } from '../../experiments/variations/variation-shares';
import { formatExactShare } from '../../presentation/text/numbers';
import {
  apiPathOf,
  experimentCrumbs,
  newVariationPath,
  pagePathOf,
  type ExperimentSubject,
  type VariationSubject,
  variationPagePath,
} from '../experiment-subject';
import type { ConsoleForm, FilledForm } from '../forms/console-form';
import { numberOrText } from '../../presentation/text/form-text';
import { TextInput } from '../pages/form-fields';

/** Says when changes to a running experiment reach its visitors. */
export function LiveNote({ experiment }: Pick<ExperimentSubject, 'experiment'>) {
  return experiment.status === 'running' ? (
    <p>The experiment is running. Changes go live when the project is published.</p>
  ) : null;
}

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
  Body: VariationFields,
  button: () => 'Save',
  call: (subject, fields) => ({
    method: 'PATCH',
    path: `${apiPathOf(subject)}/variations/${subject.variation.id}`,
    body: variationIn(fields),
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

/** Adds a variation. */
export const NEW_VARIATION_FORM: ConsoleForm<ExperimentSubject> = {
  path: newVariationPath,
  crumbs: experimentCrumbs,
  title: () => 'New variation',
  permission: () => 'definitions:write',
  values: () => ({ name: '', traffic_allocation: '' }),
  Body: VariationFields,
  button: () => 'Add variation',
  call: (subject, fields) => ({
    method: 'POST',
    path: `${apiPathOf(subject)}/variations`,
    body: variationIn(fields),
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

function VariationFields({ subject, form }: { subject: ExperimentSubject; form: FilledForm }) {
  const shares = sharesOf(subject);
  return (
    <>
      <LiveNote experiment={subject.experiment} />
      <TextInput form={form} name="name" label="Name" />
      <TextInput
        form={form}
        name="traffic_allocation"
        label="Share of participants (%)"
        inputmode="decimal"
        hint={`Variations without a share split the rest equally.${shares === '' ? '' : ` Current shares: ${shares}.`}`}
      />
    </>
  );
}

const variationIn = ({ name = '', traffic_allocation: share }: FormFields): object => ({
  name,
  traffic_allocation: numberOrText(share),
});

/** `50 % / 25 % / 25 %`, the current shares in variation order */
const sharesOf = ({ experiment: { variations } }: ExperimentSubject): string =>
  filledShares(variations.map(({ traffic_allocation: share }) => share))
    .map((share) => formatExactShare(share))
    .join(' / ');
