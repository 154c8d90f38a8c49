import { demoText, quickstartText } from '../../demo/demo-text';
import type { Demo } from '../../demo/demo.service';
import type { Quickstart } from '../../demo/quickstart.service';
import { addCommand, CommandGroup } from '../command';
import { flag, hidden } from '../options';

function addMigrate(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:migrate',
    summary: 'Bring the schema of the database up to date',
    details:
      'Needed on MySQL and MariaDB after an upgrade, before the server starts; on SQLite the server does it',
    options: {},
    examples: ['', '--json'],
    run: async (_values, context) => ({ migrations: await context.migrate() }),
    show: ({ migrations }) =>
      migrations.length === 0
        ? 'The database is up to date.'
        : `Ran ${migrations.length} migration(s):\n${migrations.map((migration) => `  ${migration}`).join('\n')}`,
  });
}

function addSeedDemo(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:seed-demo',
    summary: 'Make a team with a project to try everything on',
    details:
      'Users of every role, audiences, pages, goals, and an experiment in each status, one of them with visitors of four weeks. When it is there already, nothing is changed',
    options: { quickstart: hidden(flag('--quickstart', 'with passwords and a token that work')) },
    examples: ['', '--json'],
    run: async ({ quickstart }, context): Promise<Demo | Quickstart> => {
      const services = await context.services();
      return quickstart ? services.quickstart.prepare() : services.demo.seed();
    },
    show: (result) => ('token' in result ? quickstartText(result) : demoText(result)),
  });
}

export function addDatabaseCommands(group: CommandGroup): void {
  addMigrate(group);
  addSeedDemo(group);
}
