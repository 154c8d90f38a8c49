import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { copiedTables } from '../../src/database/copy/copied-tables';
import { entities } from '../../src/entities';
import { AdminAnswer, AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { copyTargets, raw } from '../support/database-copies';
import { createSqlite, createTestDatabase, engine, TestDatabase } from '../support/engine';
import { attributeAll, conversion, exposure, send } from '../support/events';
import { createRelease } from '../support/release';
import { Made, Maker } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { createMigratedDatabase } from '../support/template';

/* Copies that are interrupted or refused. */

const PRELOAD = join(__dirname, '../support/killed-copy.cjs');
const VISITORS = 40;
/** More than two pages of records. */
const MORE_EVENTS = 4_500;

const keeping = (store: TestDatabase) => async (): Promise<TestDatabase> => ({
  ...store,
  remove: () => Promise.resolve(),
});

/** Creates a team with a running experiment that has participants, conversions and a publication. */
async function fill(store: TestDatabase): Promise<void> {
  const api = await TestApi.start({}, undefined, keeping(store));
  const { people, project, projectId } = await api.world();
  const make = new Maker(people.admin.client, project);
  const goal = await make.goal({ name: 'Sale', value_type: 'revenue' });
  const experiment = await make.withStatus('running', { goals: [goal.id] });
  const { client_key: key } = (await people.admin.client.get(project)).body as Made;
  const messages = Array.from({ length: VISITORS }, (_, index) => [
    exposure(`visitor-${index}`, experiment.id, (experiment.variations as Made[])[index % 2].id),
    conversion(`visitor-${index}`, 'sale', index),
  ]);
  expect((await send(api, key, messages.flat())).body).toMatchObject({ rejected: 0 });
  await attributeAll(api);
  await api.close();
  const tuple = '(?, ?, ?, 1, 0, 1)';
  for (let start = 0; start < MORE_EVENTS; start += 500) {
    const ids = Array.from({ length: 500 }, (_, index) => `further-${start + index}`);
    await raw(
      store.url,
      `INSERT INTO events (project_id, visitor_id, event_id, occurred_at, device, attributed) VALUES ${ids.map(() => tuple).join(', ')}`,
      ids.flatMap((id) => [projectId, id, id]),
    );
  }
}

const countOf = async (url: string, table: string): Promise<number> =>
  Number((await raw(url, `SELECT COUNT(*) AS count FROM ${table}`))[0].count);

describe('a copy', () => {
  let source: TestDatabase;
  let tables: string[];
  const stores: TestDatabase[] = [];
  const admins: AdminCommand[] = [];

  function adminOf(url: string, environment = {}): AdminCommand {
    const admin = new AdminCommand(url, environment);
    admins.push(admin);
    return admin;
  }

  beforeAll(async () => {
    source = await createMigratedDatabase();
    stores.push(source);
    await fill(source);
    tables = (await copiedTables(entities)).map(({ name }) => name);
  });

  afterAll(async () => {
    admins.forEach((admin) => admin.remove());
    await Promise.all(stores.map((store) => store.remove()));
  });

  /** Like `copyTargets`, but targets on this engine already have the schema, because creating it takes longest. */
  async function targets(): Promise<TestDatabase[]> {
    const made = [...(engine === 'mysql' ? [createSqlite()] : []), await createMigratedDatabase()];
    stores.push(...made);
    return made;
  }

  async function copy(from: string, to: string, environment = {}): Promise<AdminAnswer> {
    const answer = await adminOf('', environment).run(['db:copy', '--from', from, '--to', to]);
    return { ...answer, stderr: answer.stderr.replace(/^(From|To): .*\n/gm, '') };
  }

  const killedAt = (to: string, place: Record<string, string>): Promise<AdminAnswer> =>
    adminOf('', { NODE_OPTIONS: `--require ${PRELOAD}`, ...place }).runAlone([
      'db:copy',
      '--from',
      source.url,
      '--to',
      to,
    ]);

  const killed = (to: string, table: string, page: number, when: 'before' | 'after'): Promise<AdminAnswer> =>
    killedAt(to, { KILL_TABLE: table, KILL_PAGE: String(page), KILL_WHEN: when });

  async function expectUnusable(url: string): Promise<void> {
    const server = await ServerProcess.spawn({ DATABASE_URL: url });
    expect(await server.exit).toBe(1);
    expect(server.stderr).toContain('is the target of an unfinished db:copy. Run db:copy again');
    for (const command of ['users:list', 'db:migrate']) {
      const { code, stderr } = await adminOf(url).run([command]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('unfinished db:copy')]);
    }
  }

  async function expectEqual(url: string): Promise<void> {
    for (const table of tables) {
      expect([table, await countOf(url, table)]).toEqual([table, await countOf(source.url, table)]);
    }
  }

  it('resumes where it was killed, on each engine, and ends with the same rows', async () => {
    const empty = await copyTargets();
    stores.push(...empty);
    for (const { url } of empty) {
      const kills = [
        ['users', 1, 'before'],
        ['users', 1, 'after'],
        ['events', 2, 'before'],
        ['events', 1, 'after'],
        ['publication_parts', 1, 'after'],
      ] as const;
      for (const [table, page, when] of kills) {
        expect(await killed(url, table, page, when)).toMatchObject({ code: null, stdout: '' });
      }
      const { code, stdout, stderr } = await copy(source.url, url);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(
        /^Copied 4,\d{3} rows in \d+ tables from .* to .*\.\nResumed an interrupted copy after 4,\d{3} rows\.\nCompared all rows: they are identical\.\n/,
      );
      await expectEqual(url);
    }
  });

  it('that is complete is only compared again, until the target is used', async () => {
    for (const { url } of await targets()) {
      const first = await copy(source.url, url);
      const [rows] = /^Copied (.*) from /.exec(first.stdout)?.slice(1) ?? [];
      const again = await copy(source.url, url);
      expect([again.code, again.stderr]).toEqual([0, '']);
      expect(again.stdout).toMatch(new RegExp(`^.* is already a complete copy of .*: ${rows}\\.\n`));
      expect(again.stdout.split('\n').slice(1)).toEqual(first.stdout.split('\n').slice(1));
      await raw(url, 'CREATE TABLE wp_posts (id int PRIMARY KEY)');
      expect((await copy(source.url, url)).stderr).toContain('it has the table wp_posts');
      await raw(url, 'DROP TABLE wp_posts');
      await raw(url, 'UPDATE users SET name = ?', ['Other']);
      const refused = await copy(source.url, url);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^The target has other data than the source: The row in users with id \d+ has a different value in column name\. Use an empty database\.\n$/,
        ),
      ]);
      await raw(url, 'UPDATE teams SET projects_version = projects_version + 1');
      const used = await copy(source.url, url);
      expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    }
  });

  it('that is unfinished cannot be used by servers or commands', async () => {
    for (const { url } of await targets()) {
      await killed(url, 'events', 2, 'after');
      await expectUnusable(url);
    }
  });

  it('that was killed before it had copied anything cannot be used either, and can be resumed', async () => {
    const empty = await copyTargets();
    stores.push(...empty);
    for (const { url } of empty) {
      for (const method of ['close', 'nextId']) {
        expect(await killedAt(url, { KILL_METHOD: method })).toMatchObject({ code: null, stdout: '' });
        await expectUnusable(url);
      }
      expect((await copy(source.url, url)).code).toBe(0);
      await expectEqual(url);
    }
  });

  it('is refused if the target was changed, with an error that names the row and the column that differ', async () => {
    for (const { url } of await targets()) {
      await killed(url, 'variations', 1, 'after');
      await raw(url, 'UPDATE result_cells SET conversions = conversions + 1 WHERE goal_id > 0');
      const refused = await copy(source.url, url);
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(
        /^The copy differs from the source: The row in result_cells with experiment_id \d+, .* has a different value in column conversions\. Empty the target/,
      );
      await raw(url, 'DELETE FROM result_cells');
      const emptied = await copy(source.url, url);
      expect(emptied.stderr).toMatch(/The row in result_cells with experiment_id .* is not in the target\./);
    }
  });

  it('is refused if the target has additional rows', async () => {
    const [{ url }] = await targets();
    await killed(url, 'publication_parts', 1, 'after');
    await raw(url, 'INSERT INTO event_purges (id, project_id) VALUES (1, 1)');
    const { code, stderr } = await copy(source.url, url);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('The row in event_purges with id 1 is not in the source.'),
    ]);
  });

  it('does not resume if the source has changed in the meantime', async () => {
    const [{ url }] = await targets();
    await killed(url, 'events', 1, 'after');
    await raw(source.url, 'UPDATE teams SET projects_version = projects_version + 1');
    const { code, stderr } = await copy(source.url, url);
    await raw(source.url, 'UPDATE teams SET projects_version = projects_version - 1');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('or the source has changed since the copy began'),
    ]);
    expect((await copy(source.url, url)).code).toBe(0);
  });

  it('is refused while a server uses the source or the target', async () => {
    const url = (await targets()).at(-1)?.url ?? '';
    const server = await (await ServerProcess.spawn({ DATABASE_URL: source.url })).ready();
    const refused = await copy(source.url, url);
    server.kill('SIGKILL');
    await server.exit;
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/ open.*Stop all servers, workers and other programs that use it/);
    const busy = await (await ServerProcess.spawn({ DATABASE_URL: url })).ready();
    const again = await copy(source.url, url);
    busy.kill('SIGKILL');
    await busy.exit;
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('Stop all servers')]);
    expect((await copy(source.url, url)).code).toBe(0);
  });

  it('to a database that contains data is refused, and changes nothing there', async () => {
    const other = await createRelease();
    stores.push(other);
    const before = await countOf(other.url, 'migrations');
    const { code, stderr } = await copy(source.url, other.url);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^The target .* is not empty: its table users has rows\. Use an empty database\.\n$/,
      ),
    ]);
    expect(await countOf(other.url, 'migrations')).toBe(before);
  });

  it('to a database of another program is refused', async () => {
    const other = await createTestDatabase();
    stores.push(other);
    await raw(other.url, 'CREATE TABLE wp_posts (id int PRIMARY KEY)');
    const { code, stderr } = await copy(source.url, other.url);
    expect([code, stderr]).toEqual([1, expect.stringContaining('it has the table wp_posts')]);
  });

  it('to a database of another program with tables of the same names is refused', async () => {
    const other = await createTestDatabase();
    stores.push(other);
    await raw(other.url, 'CREATE TABLE migrations (id int PRIMARY KEY, migration varchar(255), batch int)');
    await raw(other.url, 'CREATE TABLE users (id int PRIMARY KEY)');
    await raw(other.url, 'INSERT INTO users (id) VALUES (1)');
    const { code, stderr } = await copy(source.url, other.url);
    expect([code, stderr]).toEqual([1, expect.stringContaining('its table users has rows')]);
  });

  it('to itself is refused', async () => {
    const { code, stderr } = await copy(source.url, source.url);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/same database|Other connections/)]);
  });

  it('from an earlier release is refused, with an error that names the command that migrates it', async () => {
    const [{ url }] = await targets();
    const old = await createRelease();
    stores.push(old);
    const { code, stderr } = await copy(old.url, url);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The source is \d+ migration\(s\) behind: .* Run: npm run -s admin -- db:migrate\n$/,
    );
    await adminOf(old.url).run(['db:migrate']);
    expect((await copy(old.url, url)).code).toBe(0);
  });

  it('from a newer release is refused', async () => {
    const [{ url }] = await targets();
    const newer = await createMigratedDatabase();
    stores.push(newer);
    await raw(newer.url, "INSERT INTO migrations (timestamp, name) VALUES (1, 'Future1')");
    const { code, stderr } = await copy(newer.url, url);
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not have these migrations: Future1')]);
  });

  it.each([
    ['postgres://u:hidden@h/n', 2, '--from must be sqlite:<file>'],
    ['env:NOT_THERE', 2, 'NOT_THERE must be sqlite:<file>'],
    ['sqlite:nowhere/at-all.sqlite', 1, 'The source nowhere/at-all.sqlite does not exist or is empty.'],
    ['mysql://u:hidden@127.0.0.1:1/n', 1, 'ECONNREFUSED'],
  ])('from %s is refused', async (from, expected, message) => {
    const [{ url }] = await targets();
    const { code, stdout, stderr } = await copy(from, url);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(message)]);
    expect(stderr).not.toContain('hidden');
  });

  it('accepts URLs in environment variables', async () => {
    const [{ url }] = await targets();
    const answer = await copy('env:THE_SOURCE', 'env:DATABASE_URL', {
      THE_SOURCE: source.url,
      DATABASE_URL: url,
    });
    expect([answer.code, answer.stderr]).toEqual([0, '']);
    const unknown = `${engine === 'mysql' ? 'mysql://root@127.0.0.1:3306/' : 'sqlite:/'}none-${randomBytes(4).toString('hex')}`;
    expect((await copy('env:THE_SOURCE', url, { THE_SOURCE: unknown })).code).toBe(1);
  });
});
