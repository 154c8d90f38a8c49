import { demoText, quickstartText } from '../../demo/demo-text';
import type { Demo } from '../../demo/demo.service';
import type { Quickstart } from '../../demo/quickstart.service';
import type { CopyReport } from '../../database/copy/copy-database';
import { addCommand, CommandGroup } from '../command';
import { databaseAddress, flag, hidden, required } from '../options';
import { grouped, printableLine } from '../output';

function addMigrate(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:migrate',
    summary: 'Migrate the database schema',
    details:
      'On MySQL and MariaDB, run this after an upgrade, before the server starts; on SQLite, the server migrates at startup',
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
      'Creates audiences, pages, goals, one user per role, and one experiment per status, one of which has four weeks of visitors. An existing demo is left unchanged',
    options: {
      quickstart: hidden(
        flag('--quickstart', 'give the demo users working passwords and create a working token'),
      ),
    },
    examples: ['', '--json'],
    run: async ({ quickstart }, context): Promise<Demo | Quickstart> => {
      const services = await context.services();
      return quickstart ? services.quickstart.prepare() : services.demo.seed();
    },
    show: (result) => ('token' in result ? quickstartText(result) : demoText(result)),
  });
}

const COPY_DETAILS = [
  'Copies from SQLite to MySQL or MariaDB, the other way round, or between databases of the same engine. The target must be empty; the command creates its schema',
  'Before you start, stop all servers and workers that use the source. To resume an interrupted copy, run the command again',
  'All rows are compared afterwards. Until the copy is complete, no server can start on the target',
  'To keep a password out of the process list, put the address in an environment variable, for example --to env:DATABASE_URL',
].join('. ');

function copyText({ from, to, rows, resumed_after, finished_before, tables }: CopyReport): string {
  const cells = tables.result_cells;
  const amount = `${grouped(rows)} rows in ${Object.keys(tables).length} tables`;
  return [
    finished_before
      ? `${to} is already a complete copy of ${from}: ${amount}.`
      : `Copied ${amount} from ${from} to ${to}.`,
    ...(resumed_after === 0 ? [] : [`Resumed an interrupted copy after ${grouped(resumed_after)} rows.`]),
    'Compared all rows: they are identical.',
    ...(cells === undefined ? [] : [`Result cells: ${grouped(cells.rows)}, SHA-256 ${cells.sha256}`]),
    'Next: set DATABASE_URL to the target, keep SESSION_SECRET (data/session-secret on SQLite), and start the server.',
  ].join('\n');
}

function addCopy(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:copy',
    summary: 'Copy a database to an empty database',
    details: COPY_DETAILS,
    options: {
      from: required(
        '--from <url>',
        'source database, in the format of DATABASE_URL, or env:<variable>',
        databaseAddress,
      ),
      to: required(
        '--to <url>',
        'target database, in the format of DATABASE_URL, or env:<variable>',
        databaseAddress,
      ),
    },
    examples: [
      '--from sqlite:data/gosset.sqlite --to env:DATABASE_URL',
      '--from env:DATABASE_URL --to sqlite:data/copy.sqlite --json',
    ],
    run: ({ from, to }, context, progress) =>
      context.copy(from, to, {
        copied: progress.show('Copying rows', grouped),
        beforeComparison: () => progress.stop(),
        compared: progress.show('Comparing rows', grouped),
      }),
    show: copyText,
  });
}

const AFTER_RESTORE_DETAILS = [
  'Run this after you have restored a backup, before the server starts. Browsers and API clients know the ids, versions and revision numbers that were assigned after the backup. This command skips them, so that they are not reused',
  'Stop all servers and workers first. Running the command again skips more numbers and does no other harm',
].join('. ');

function addAfterRestore(group: CommandGroup): void {
  addCommand(group, {
    name: 'db:after-restore',
    summary: 'Skip ids, versions and revision numbers after a restore',
    details: AFTER_RESTORE_DETAILS,
    options: {},
    examples: ['', '--json'],
    run: (_values, context) => context.skipNumbers(),
    show: ({ skipped, next_ids: ids, versions, projects }) =>
      [
        `Skipped ${grouped(skipped)} numbers each, so that numbers assigned after the backup are not reused:`,
        `  ids in ${Object.keys(ids).length} tables; the next experiment gets the id ${ids.experiments}`,
        `  versions in ${Object.keys(versions).length} tables`,
        `  revision numbers of ${projects} project(s)`,
      ].join('\n'),
  });
}

export function addDatabaseCommands(group: CommandGroup): void {
  addMigrate(group);
  addSeedDemo(group);
  addCopy(group);
  addAfterRestore(group);
}
