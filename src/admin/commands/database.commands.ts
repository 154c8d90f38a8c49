import { demoText, quickstartText } from '../../demo/demo-text';
import type { Demo } from '../../demo/demo.service';
import type { Quickstart } from '../../demo/quickstart.service';
import { addCommand, CommandGroup } from '../command';
import { flag, hidden } from '../options';
import { printableLine } from '../output';

function addMigrate(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:migrate',
    summary: 'Migrate the database schema',
    details:
      'Needed on MySQL and MariaDB after an upgrade, before the server starts; on SQLite the server does it',
    options: {},
    examples: ['', '--json'],
    run: (_values, context) => context.migrate(),
    show: ({ migrations, copy, warnings }) =>
      [
        ...(copy === null ? [] : [`Copied the database to ${copy}`]),
        migrations.length === 0 ? 'The database is up to date.' : `Ran ${migrations.length} migration(s):`,
        ...migrations.map((migration) => `  ${migration}`),
        ...warnings.map(printableLine),
      ].join('\n'),
  });
}

function addSeedDemo(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:seed-demo',
    summary: 'Create a demo team with a project',
    details:
      'Users with every role, audiences, pages, goals, and an experiment in each status, one of them with four weeks of visitors. An existing demo is not changed',
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
