import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { loadConfig } from '../../src/config/config';
import { createWriter } from '../../src/database/data-source';
import { Database } from '../../src/database/database';
import { migrations } from '../../src/database/migrations';
import { migrateMysql } from '../../src/database/migrating';
import { copyBeforeUpgrade, copyPath } from '../../src/database/upgrade-copy';
import { entities } from '../../src/entities';
import { AdminCommand } from '../support/admin';
import { createTestDatabase, engine, TestDatabase } from '../support/engine';
import { createRelease } from '../support/release';

/* The copy that the server makes of a database from the first release before it migrates the database. */

let store: TestDatabase;
let file: string;

beforeEach(async () => {
  store = await createRelease();
  file = store.url.replace(/^sqlite:/, '');
});

afterEach(() => store.remove());

const open = (): Promise<Database> =>
  Database.open(loadConfig({ DATABASE_URL: store.url }).database, entities);

/** Opens the database like a server, and closes it. @returns the path of the copy */
async function upgrade(): Promise<string | null> {
  const database = await open();
  await database.onApplicationShutdown();
  return database.copy;
}

/** The executed migrations of a file, and its number of events. */
function contentsOf(path: string): unknown[] {
  const connection = new BetterSqlite3(path, { readonly: true });
  const count = (table: string) => connection.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get();
  const found = [connection.pragma('integrity_check'), count('migrations'), count('events')];
  connection.close();
  return found;
}

const onSqlite = engine === 'sqlite' ? describe : describe.skip;

onSqlite('the copy of a SQLite database', () => {
  it('has the content of the old release, and is readable only by the current user', async () => {
    const before = contentsOf(file);
    chmodSync(dirname(file), 0o755);
    const copy = await upgrade();
    expect(copy).toBe(copyPath(file));
    expect(contentsOf(copyPath(file))).toEqual(before);
    expect(contentsOf(file)).not.toEqual(before);
    expect((statSync(copyPath(file)).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.part'))).toEqual([]);
    // A folder that contains only files of the server becomes private. The copy is one of these files.
    chmodSync(dirname(file), 0o755);
    await upgrade();
    expect((statSync(dirname(file)).mode & 0o777).toString(8)).toBe('700');
  });

  it('is made once, but not for a new database', async () => {
    expect(await upgrade()).toBe(copyPath(file));
    rmSync(copyPath(file));
    expect(await upgrade()).toBeNull();
    expect(existsSync(copyPath(file))).toBe(false);
    const empty = await createTestDatabase();
    const database = await Database.open(loadConfig({ DATABASE_URL: empty.url }).database, entities);
    expect(database.copy).toBeNull();
    await database.onApplicationShutdown();
    await empty.remove();
  });

  it('replaces the copy of a failed attempt', async () => {
    writeFileSync(copyPath(file), 'incomplete');
    writeFileSync(`${copyPath(file)}.part`, 'incomplete');
    const before = contentsOf(file);
    await upgrade();
    expect(contentsOf(copyPath(file))).toEqual(before);
  });

  it('requires disk space, and reports how much is free and how much it needs', async () => {
    const before = contentsOf(file);
    const free = statSync(file).size - 1;
    await expect(copyBeforeUpgrade(file, () => free)).rejects.toThrow(
      /The disk has \d+ MB free, but the copy needs \d+ MB\. Free some disk space, then start again\.$/,
    );
    expect(readdirSync(dirname(file)).filter((name) => name.includes('before'))).toEqual([]);
    expect(contentsOf(file)).toEqual(before);
    expect(await copyBeforeUpgrade(file, () => free + 1)).toBe(copyPath(file));
  });

  it('is refused, without migrating, while another process has the file open', async () => {
    const before = contentsOf(file);
    const other = new BetterSqlite3(file);
    other.pragma('journal_mode = WAL');
    other.prepare('SELECT COUNT(*) FROM events').get();
    await expect(open()).rejects.toThrow(
      /belongs to an earlier release, and another process has it open\. Stop all/,
    );
    expect(existsSync(copyPath(file))).toBe(false);
    expect(contentsOf(file)).toEqual(before);
    other.close();
    expect(await upgrade()).toBe(copyPath(file));
  });
});

it('db:migrate reports the copy, or warns about what it cannot detect', async () => {
  const admin = new AdminCommand(store.url);
  const { migrations, ...told } = await admin.json(['db:migrate']);
  expect(migrations.length).toBeGreaterThan(5);
  expect(told).toEqual(
    engine === 'sqlite'
      ? { copy: copyPath(file), warnings: [] }
      : { copy: null, warnings: [expect.stringContaining('run results:rebuild')] },
  );
  expect(await admin.json(['db:migrate'])).toEqual({ migrations: [], copy: null, warnings: [] });
  admin.remove();
});

const onMysql = engine === 'mysql' ? describe : describe.skip;

onMysql('db:migrate that continues after an interruption', () => {
  /** Runs the older half of the migrations. */
  async function migrateHalf({ url }: TestDatabase): Promise<void> {
    const writer = await createWriter(loadConfig({ DATABASE_URL: url }).database, entities);
    writer.setOptions({ migrations: migrations.slice(0, migrations.length / 2) });
    await writer.initialize();
    await migrateMysql(writer);
    await writer.destroy();
  }

  async function warningsOf({ url }: TestDatabase): Promise<unknown> {
    const admin = new AdminCommand(url);
    const { warnings } = await admin.json(['db:migrate']);
    admin.remove();
    return warnings;
  }

  it('warns about what it cannot detect in an upgrade, but not in a new database', async () => {
    const created = await createTestDatabase();
    for (const each of [store, created]) {
      await migrateHalf(each);
    }
    expect(await warningsOf(store)).toEqual([expect.stringContaining('run results:rebuild')]);
    expect(await warningsOf(created)).toEqual([]);
    await created.remove();
  });
});
