import type { FormFields } from '../../common/http/json-body';
import { EVERYWHERE } from '../../resources/environments/environment-code';
import type { ConsoleForm, FilledForm } from '../forms/console-form';
import { Checks, TextArea, TextInput } from '../pages/form-fields';
import { environmentPath, environmentsPath, listCrumbs, listPath, newEnvironmentPath } from './paths';
import type { EnvironmentSubject, ProjectSubject } from './project-subject';

const crumbs = (subject: ProjectSubject) => listCrumbs(subject, 'environments', 'Environments');

const apiPathOf = ({ project, environment }: EnvironmentSubject): string =>
  `/api${environmentsPath(project.id)}/${environment.id}`;

const done = ({ project }: ProjectSubject, notice: 'created' | 'saved' | 'environmentDeleted') => ({
  path: listPath(project.id, 'environments'),
  notice,
});

/** Adds an environment to the project. */
export const ADD_ENVIRONMENT_FORM: ConsoleForm<ProjectSubject> = {
  path: ({ project }) => newEnvironmentPath(project.id),
  crumbs,
  title: () => 'New environment',
  permission: () => 'environments:manage',
  values: () => ({ name: '', code: EVERYWHERE }),
  Body: ({ form }) => <Fields form={form} canBecomeDefault />,
  button: () => 'Create',
  call: ({ project }, fields) => ({
    method: 'POST',
    path: `/api${environmentsPath(project.id)}`,
    body: fieldsIn(fields),
  }),
  done: (subject) => done(subject, 'created'),
};

/** Changes an environment. */
export const ENVIRONMENT_FORM: ConsoleForm<EnvironmentSubject> = {
  path: (subject) => environmentPath(subject, 'edit'),
  crumbs,
  title: () => 'Edit the environment',
  permission: () => 'environments:manage',
  etag: ({ environmentTag }) => environmentTag,
  values: ({ environment: { name, code } }) => ({ name, code }),
  Body: ({ subject: { environment }, form }) => (
    <>
      <p>Visitors will see changes after the next publication.</p>
      <Fields form={form} canBecomeDefault={!environment.is_default} />
    </>
  ),
  button: () => 'Save',
  call: (subject, fields) => ({ method: 'PATCH', path: apiPathOf(subject), body: fieldsIn(fields) }),
  done: (subject) => done(subject, 'saved'),
};

/** Deletes an environment. */
export const DELETE_ENVIRONMENT_FORM: ConsoleForm<EnvironmentSubject> = {
  path: (subject) => environmentPath(subject, 'delete'),
  crumbs,
  title: ({ environment }) => `Delete the environment ${environment.name}?`,
  permission: () => 'environments:manage',
  etag: ({ environmentTag }) => environmentTag,
  values: () => ({}),
  Body: ({ subject: { environment } }) => (
    <p>
      {environment.is_default
        ? 'This is the default environment. It cannot be deleted until another environment is the default.'
        : 'The environment will be removed from all experiments. Visitors will see the change after the next publication. SDKs that request the environment will then get an error.'}
    </p>
  ),
  button: () => 'Delete',
  isDanger: true,
  call: (subject) => ({ method: 'DELETE', path: apiPathOf(subject) }),
  done: (subject) => done(subject, 'environmentDeleted'),
};

function Fields({ form, canBecomeDefault }: { form: FilledForm; canBecomeDefault: boolean }) {
  return (
    <>
      <TextInput form={form} name="name" label="Name" />
      <TextArea
        form={form}
        name="code"
        label="Code"
        rows={6}
        hint="A JavaScript expression or function body that returns true on the pages the environment applies to, such as: return location.hostname === 'staging.example.com'; Without code, the environment applies to all pages."
      />
      {canBecomeDefault && (
        <Checks
          form={form}
          name="is_default"
          label="Default"
          options={[{ value: 'true', label: 'New experiments use this environment' }]}
        />
      )}
    </>
  );
}

/** Without a checked box, the default environment stays the same. */
const fieldsIn = ({ name = '', code = '', ...fields }: FormFields): object => ({
  name,
  code,
  ...(fields['is_default.true'] === 'on' && { is_default: true }),
});
