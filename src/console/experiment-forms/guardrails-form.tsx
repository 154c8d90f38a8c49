import type { Permission } from '../../platform/access/roles';
import type { FormFields } from '../../common/http/json-body';
import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { checked, chosenIn } from '../../presentation/text/form-text';
import { Choices, type SelectOption } from '../pages/form-fields';
import { Offered } from '../pages/offered-fields';
import { newGoalPath } from '../project-forms/paths';

export interface GuardrailsSubject extends ExperimentSubject {
  /** Goals of the project, by name. */
  goals: readonly SelectOption[];
}

/** Chooses the goals that must not get worse, and what happens if one does. */
export const GUARDRAILS_FORM: ConsoleForm<GuardrailsSubject> = {
  path: (subject) => guardrailsPagePath(subject),
  crumbs: experimentCrumbs,
  title: () => 'Guardrails',
  permission: guardrailPermission,
  etag: ({ experimentTag }) => experimentTag,
  values: ({ experiment: { guardrails, guardrail_action } }) => ({
    ...checked(
      'guardrails',
      guardrails.map(({ id }) => id),
    ),
    guardrail_action,
  }),
  Body: ({ subject, form, base }) => (
    <>
      <p>
        A guardrail is a goal that must not get worse, such as refunds or script errors. It is tripped when
        any variation is significantly worse than the original. The minimum runtime does not delay it.
      </p>
      <Offered
        form={form}
        name="guardrails"
        label="Guardrails"
        listed={subject.goals}
        attached={subject.experiment.guardrails}
        excluded={subject.experiment.goals}
        none={
          <p>
            <strong>The project has no other goal.</strong>{' '}
            <a href={`${base}${newGoalPath(subject.project.id)}`}>Create the goal</a> first.
          </p>
        }
      />
      <Choices
        form={form}
        name="guardrail_action"
        label="When a guardrail is tripped"
        options={[
          { value: 'none', label: 'Show it with the results' },
          { value: 'pause', label: 'Pause the experiment: visitors see the original' },
        ]}
      />
    </>
  ),
  button: () => 'Save',
  call: (subject, fields) => ({
    method: 'PATCH',
    path: apiPathOf(subject),
    body: changesIn(fields),
  }),
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};

/** The permission for the form. Changed guardrails can pause a running experiment immediately. */
export function guardrailPermission({ experiment: { status } }: ExperimentSubject): Permission {
  return status === 'running' ? 'experiments:run' : 'definitions:write';
}

/** The path of the form. */
export const guardrailsPagePath = (subject: Pick<ExperimentSubject, 'project' | 'experiment'>): string =>
  `${pagePathOf(subject)}/guardrails`;

const changesIn = (fields: FormFields): object => ({
  guardrails: chosenIn('guardrails', fields).map(Number),
  guardrail_action: fields.guardrail_action,
});
