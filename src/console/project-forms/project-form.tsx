import type { FormFields } from '../../common/http/json-body';
import type { ConsoleForm } from '../forms/console-form';
import { numberOrText, textOrNull } from '../forms/fields';
import { projectPath } from '../pages/console-page';
import { TextArea, TextInput } from '../pages/form-fields';
import { editProjectPath, projectCrumbs } from './paths';
import type { ProjectSubject } from './project-subject';

/** Changes the name of a project and its rules for results. */
export const PROJECT_FORM: ConsoleForm<ProjectSubject> = {
  path: ({ project }) => editProjectPath(project.id),
  crumbs: projectCrumbs,
  title: () => 'Edit the project',
  permission: () => 'project:settings',
  etag: ({ projectTag }) => projectTag,
  values: ({ project }) => ({
    name: project.name,
    description: project.description ?? '',
    significance: String(project.significance),
    min_conversions: String(project.min_conversions),
    min_runtime_days: String(project.min_runtime_days),
  }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextArea form={form} name="description" label="Description" />
      <p>
        New rules for results apply to running experiments immediately. Set them before you look at results.
      </p>
      <TextInput
        form={form}
        name="significance"
        label="Required confidence, in percent"
        hint="95 accepts one false positive in twenty."
        inputmode="decimal"
      />
      <TextInput
        form={form}
        name="min_conversions"
        label="Minimum conversions"
        hint="A verdict requires twice as many in the original and the variation together."
        inputmode="decimal"
      />
      <TextInput
        form={form}
        name="min_runtime_days"
        label="Minimum runtime, in days"
        hint="Use whole weeks."
        inputmode="decimal"
      />
    </>
  ),
  button: () => 'Save',
  call: ({ project }, fields) => ({
    method: 'PATCH',
    path: `/api${projectPath(project.id)}`,
    body: changesIn(fields),
  }),
  done: ({ project }) => ({ path: projectPath(project.id), notice: 'saved' }),
};

const changesIn = ({ name = '', description = '', ...rules }: FormFields): object => ({
  name,
  description: textOrNull(description),
  significance: numberOrText(rules.significance),
  min_conversions: numberOrText(rules.min_conversions),
  min_runtime_days: numberOrText(rules.min_runtime_days),
});
