import { apiPathOf, experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { ConsoleForm } from '../forms/console-form';
import { experimentPagePath } from '../pages/console-page';
import { TextInput } from '../pages/form-fields';

/** Copies an experiment. */
export const CLONE_FORM: ConsoleForm<ExperimentSubject> = {
  path: (subject) => `${pagePathOf(subject)}/clone`,
  crumbs: experimentCrumbs,
  title: () => 'Clone the experiment',
  permission: () => 'definitions:write',
  values: () => ({ name: '' }),
  Body: ({ form }) => (
    <>
      <p>
        The clone is a draft with the same variations, targeting, goals and settings, without the results.
      </p>
      <TextInput
        form={form}
        name="name"
        label="Name"
        hint="Leave it empty for the same name with “(Copy)”."
      />
    </>
  ),
  button: () => 'Clone',
  call: (subject, { name = '' }) => ({
    method: 'POST',
    path: `${apiPathOf(subject)}/clone`,
    ...(name.trim() !== '' && { body: { name } }),
  }),
  done: ({ project }, { body }) => ({
    path: experimentPagePath(project.id, (body as { id: number }).id),
    notice: 'cloned',
  }),
};
