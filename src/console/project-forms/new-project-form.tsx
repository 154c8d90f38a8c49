import type { ConsoleForm } from '../forms/console-form';
import type { TeamSubject } from '../members/team-subject';
import { projectPath } from '../pages/console-page';
import { Choices, TextInput } from '../pages/form-fields';
import { newProjectPath } from './paths';

const STORAGE_OPTIONS = [
  { value: 'localStorage', label: 'In local storage, for one host' },
  { value: 'cookie', label: 'In a cookie, for all subdomains of a site' },
];

/** Creates a project in the team. */
export const NEW_PROJECT_FORM: ConsoleForm<TeamSubject> = {
  path: ({ team }) => newProjectPath(team.id),
  crumbs: () => [],
  title: ({ team }) => `New project of ${team.name}`,
  permission: () => 'projects:create',
  values: () => ({ name: '', storage: 'localStorage' }),
  Body: ({ form }) => (
    <>
      <TextInput form={form} name="name" label="Name" hint="Usually, a site has one project." />
      <Choices
        form={form}
        name="storage"
        label="Where the snippet keeps a visitor's variation"
        hint="This cannot be changed later."
        options={STORAGE_OPTIONS}
      />
    </>
  ),
  button: () => 'Create project',
  call: ({ team }, { name = '', storage }) => ({
    method: 'POST',
    path: `/api/teams/${team.id}/projects`,
    body: { name, storage },
  }),
  done: (_, { body }) => ({ path: projectPath((body as { id: number }).id), notice: 'projectCreated' }),
};
