import { readFile } from 'node:fs/promises';
import type { EnvironmentRecord } from '../../resources/environments/environment.record';
import { addCommand, CommandGroup } from '../command';
import type { AdminContext } from '../context';
import { file, flag, id, name, optional, required } from '../options';
import { reasonOf, RefusedError, UsageError } from '../refusals';
import type { Services } from '../application';
import { orNoSuch, requireProject } from './lookups';

const projectOption = required('--project <id>', 'id of the project', id);
const nameOption = required('--name <name>', 'name of the environment', name);
const codeFileOption = optional(
  '--code-file <file>',
  'file with a script that returns true on the pages the environment applies to',
  file,
);
const defaultOption = flag('--default', 'make this environment the default for new experiments');

async function readCode(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw new RefusedError(`${path} cannot be read as text: ${reasonOf(error)}`, { cause: error });
  }
}

/** Changes the project's environment with this name. */
async function withEnvironment(
  context: AdminContext,
  project: number,
  environment: string,
  action: (services: Services) => Promise<EnvironmentRecord>,
): Promise<EnvironmentRecord> {
  const services = await context.services();
  await requireProject(services, project);
  return orNoSuch(`environment named ${environment} in project ${project}`, action(services));
}

function addCreate(group: CommandGroup): void {
  addCommand(group, {
    name: 'environments:create',
    summary: 'Create an environment in a project',
    details: 'Without code, the environment applies everywhere',
    options: { project: projectOption, name: nameOption, codeFile: codeFileOption, isDefault: defaultOption },
    examples: [
      '--project 1 --name Staging --code-file staging.js',
      '--project 1 --name Test --default --json',
    ],
    run: async ({ project, name: environment, codeFile, isDefault }, context) => {
      const code = codeFile === undefined ? {} : { code: await readCode(codeFile) };
      const services = await context.services();
      const fields = { name: environment, ...code, is_default: isDefault };
      return orNoSuch(`project ${project}`, services.environments.create(project, fields, 'admin'));
    },
  });
}

function addUpdate(group: CommandGroup): void {
  addCommand(group, {
    name: 'environments:update',
    summary: 'Change an environment',
    details: 'The environment is identified by its name',
    options: { project: projectOption, name: nameOption, codeFile: codeFileOption, isDefault: defaultOption },
    examples: ['--project 1 --name Staging --code-file staging.js', '--project 1 --name Staging --default'],
    run: async ({ project, name: environment, codeFile, isDefault }, context) => {
      if (codeFile === undefined && !isDefault) {
        throw new UsageError('Nothing to change: pass --code-file, --default or both.');
      }
      const changes = {
        ...(codeFile === undefined ? {} : { code: await readCode(codeFile) }),
        ...(isDefault ? { is_default: true } : {}),
      };
      return withEnvironment(context, project, environment, ({ environments }) =>
        environments.update(project, environment, changes, 'admin'),
      );
    },
  });
}

function addDelete(group: CommandGroup): void {
  addCommand(group, {
    name: 'environments:delete',
    summary: 'Delete an environment',
    details:
      'The default environment cannot be deleted, nor can an environment that is the only one of a running experiment. Prints the deleted environment',
    options: { project: projectOption, name: nameOption },
    examples: ['--project 1 --name Staging'],
    run: ({ project, name: environment }, context) =>
      withEnvironment(context, project, environment, ({ environments }) =>
        environments.remove(project, environment, 'admin'),
      ),
  });
}

export function addEnvironmentCommands(group: CommandGroup): void {
  addCreate(group);
  addUpdate(group);
  addDelete(group);
}
