import { DECIDED_FIELD } from '../../account/pages/kept-form-page';
import type { FormFields } from '../../common/http/json-body';
import { DECISION_OUTCOMES } from '../../experiments/experiment-descriptions';
import { Name } from '../../presentation/components/text';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { numberOrText, textOrNull } from '../../presentation/text/form-text';
import { OUTCOME_NAMES } from '../pages/decision-card';
import { Choices, TextArea } from '../pages/form-fields';

/** Records the decision after the experiment. Archived experiments can also have a decision. */
export const DECISION_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/decision`,
  crumbs: experimentCrumbs,
  title: () => 'Record the decision',
  permission: () => 'definitions:write',
  etag: ({ experimentTag }) => experimentTag,
  values: ({ experiment: { decision } }) => ({
    'decision.outcome': decision?.outcome ?? '',
    'decision.variation_id': String(decision?.variation_id ?? ''),
    'decision.note': decision?.note ?? '',
    [DECIDED_FIELD]: decision === null ? '' : 'yes',
  }),
  Body: ({ subject: { experiment }, form }) => (
    <>
      <p>
        The decision is shown with the experiment. It does not affect the experiment’s status or delivery.
      </p>
      <input type="hidden" name={DECIDED_FIELD} value={form.current[DECIDED_FIELD]} />
      <Choices
        form={form}
        name="decision.outcome"
        label="Outcome"
        options={[
          ...DECISION_OUTCOMES.map((value) => ({ value, label: OUTCOME_NAMES[value] })),
          { value: '', label: 'No decision yet' },
        ]}
      />
      <Choices
        form={form}
        name="decision.variation_id"
        label="Variation"
        hint="The variation to ship. With any other outcome, the variation that the decision is about."
        options={[
          ...experiment.variations.map(({ id, name }) => ({ value: String(id), label: <Name>{name}</Name> })),
          { value: '', label: 'No particular variation' },
        ]}
      />
      <TextArea form={form} name="decision.note" label="Reasons" />
    </>
  ),
  button: () => 'Save',
  call: (subject, fields) => ({
    method: 'PATCH',
    path: apiPathOf(subject),
    body: { decision: decisionIn(fields) },
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

/**
 * The decision in the form; null if the form is empty or removes a decision. Otherwise, a note or a variation without
 * an outcome is sent as well, so the API can reject it.
 */
function decisionIn(fields: FormFields): object | null {
  const outcome = fields['decision.outcome'] ?? '';
  const note = textOrNull(fields['decision.note']);
  const variation_id = numberOrText(fields['decision.variation_id']);
  const isEmpty = fields[DECIDED_FIELD] === 'yes' || (note === null && variation_id === null);
  return outcome === '' && isEmpty ? null : { outcome: textOrNull(outcome), variation_id, note };
}
