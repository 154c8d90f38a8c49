import { Command } from 'commander';
import { writeOut } from '../common/files';
import type { Entities } from '../database/data-source';
import { addDatabaseCommands } from './commands/database.commands';
import { addDefinitionImportCommands } from './commands/definition-imports.commands';
import { addEnvironmentCommands } from './commands/environments.commands';
import { addEventCommands } from './commands/events.commands';
import { addProjectCommands } from './commands/projects.commands';
import { addPublicationCommands } from './commands/publications.commands';
import { addResultCommands } from './commands/results.commands';
import { addSetupCommands } from './commands/setup.commands';
import { addTeamCommands } from './commands/teams.commands';
import { addTokenCommands } from './commands/tokens.commands';
import { addTrashCommands } from './commands/trash.commands';
import { addUserCommands } from './commands/users.commands';
import { addVisitorCommands } from './commands/visitors.commands';
import type { CommandGroup } from './command';
import { AdminContext } from './context';
import { INVOCATION } from './output';
import { reportFailure } from './refusals';

const GROUPS: readonly [heading: string, add: (group: CommandGroup) => void][] = [
  ['First steps:', addSetupCommands],
  ['Users:', addUserCommands],
  ['Teams:', addTeamCommands],
  ['Projects:', addProjectCommands],
  ['Environments:', addEnvironmentCommands],
  ['Definition imports:', addDefinitionImportCommands],
  ['API tokens:', addTokenCommands],
  ['Events:', addEventCommands],
  ['Visitors:', addVisitorCommands],
  ['Results:', addResultCommands],
  ['Publications:', addPublicationCommands],
  ['Trash:', addTrashCommands],
  ['Database:', addDatabaseCommands],
];

function createProgram(context: AdminContext): Command {
  const program = new Command(INVOCATION)
    .description('Administers Gosset, even while the server is running; changes apply within 5 seconds.')
    .option('--json', 'print the result as a single JSON value')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void writeOut(text) })
    .showHelpAfterError('Add --help for usage.')
    .exitOverride();
  for (const [heading, add] of GROUPS) {
    add({ program, context, heading });
  }
  return program;
}

/** Runs one admin command. @returns the exit code: 0 success, 1 rejected, 2 wrong usage */
export async function runAdmin(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  loadEntities: () => Promise<Entities>,
): Promise<number> {
  const context = new AdminContext(environment, loadEntities);
  try {
    try {
      await createProgram(context).parseAsync(args, { from: 'user' });
    } finally {
      await context.close();
    }
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}
