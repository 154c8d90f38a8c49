import { DataSource, QueryRunner } from 'typeorm';
import { loadConfig } from '../../src/config/config';
import { createWriter } from '../../src/database/data-source';
import { migrateMysql } from '../../src/database/migrating';
import { migrations } from '../../src/database/migrations';
import { SqliteWriter } from '../../src/database/sqlite-writer';
import { entities } from '../../src/entities';
import { createTestDatabase, engine, TestDatabase } from '../support/engine';

/** Simulates that the process is killed. The message is the last executed statement. */
class Killed extends Error {}

/** A write has a lasting effect. Statements that every run repeats do not count. */
const WRITES = /^\s*(CREATE|ALTER|DROP|RENAME|INSERT|UPDATE|DELETE)\b/i;
const REPEATED = /IF NOT EXISTS|migration_locks/i;
const isWrite = (sql: string): boolean => WRITES.test(sql) && !REPEATED.test(sql);

/**
 * SQLite migrates in one transaction, which every kill rolls back, so it is enough to test a kill after every seventh
 * write.
 */
const SQLITE_STEP = 7;

function nextWrites(writes: number, isRepeated: boolean): number {
  if (engine === 'sqlite') {
    return writes + SQLITE_STEP;
  }
  return isRepeated ? writes + 1 : 1;
}

/** One wrapper for each connection, because the next run reuses the connection. */
const sqliteWriters = new WeakMap<DataSource, SqliteWriter>();

function migrate(writer: DataSource): Promise<string[]> {
  if (engine === 'mysql') {
    return migrateMysql(writer);
  }
  const sqlite = sqliteWriters.get(writer) ?? new SqliteWriter(writer);
  sqliteWriters.set(writer, sqlite);
  return sqlite.migrate();
}

describe('interrupted migrations', () => {
  const opened: { writer: DataSource; store: TestDatabase }[] = [];

  async function emptyDatabase(): Promise<DataSource> {
    const store = await createTestDatabase();
    const writer = await createWriter(loadConfig({ DATABASE_URL: store.url }).database, entities);
    await writer.initialize();
    opened.push({ writer, store });
    return writer;
  }

  // TypeORM prints each failed migration, so the output is suppressed.
  beforeAll(() => void jest.spyOn(console, 'log').mockImplementation());

  afterAll(() => jest.restoreAllMocks());

  afterEach(async () => {
    for (const { writer, store } of opened.splice(0)) {
      await writer.destroy();
      await store.remove();
    }
  });

  /** The definitions of all tables, and the executed migrations. */
  async function schemaOf(writer: DataSource): Promise<unknown> {
    const names: { name: string }[] = await writer.query('SELECT name FROM migrations ORDER BY name');
    if (engine === 'sqlite') {
      return [names, await writer.query('SELECT name, sql FROM sqlite_master ORDER BY name')];
    }
    const rows: Record<string, string>[] = await writer.query('SHOW TABLES');
    const tables = rows.flatMap((row) => Object.values(row)).sort();
    const definitions: unknown[] = [];
    for (const table of tables.filter((name) => !name.startsWith('migration_'))) {
      definitions.push(await writer.query(`SHOW CREATE TABLE ${table}`));
    }
    return [names, definitions];
  }

  /** Migrates, and aborts after `writes` writes. @returns the last write, or null if the migration is complete */
  async function migrateUntil(writer: DataSource, writes: number): Promise<string | null> {
    const create = writer.createQueryRunner.bind(writer);
    let left = writes;
    writer.createQueryRunner = (mode): QueryRunner => {
      const runner = create(mode);
      const query = runner.query.bind(runner) as (sql: string, ...rest: unknown[]) => Promise<unknown>;
      const dying = async (sql: string, ...rest: unknown[]): Promise<unknown> => {
        const result = await query(sql, ...rest);
        if (isWrite(sql) && (left -= 1) === 0) {
          throw new Killed(sql);
        }
        return result;
      };
      return Object.assign(runner, { query: dying });
    };
    try {
      await migrate(writer);
      return null;
    } catch (error) {
      if (error instanceof Killed) {
        return error.message;
      }
      throw error;
    } finally {
      writer.createQueryRunner = create;
    }
  }

  it('resume and end with the same schema, wherever they are killed', async () => {
    const [undisturbed, disturbed] = [await emptyDatabase(), await emptyDatabase()];
    await migrate(undisturbed);
    // On MySQL, each run gets one statement further or writes the same rows again. On SQLite, each run is rolled
    // back.
    let [kills, writes] = [0, 1];
    let last: string | null = null;
    for (;;) {
      const sql: string | null = await migrateUntil(disturbed, writes);
      if (sql === null) {
        break;
      }
      kills += 1;
      writes = nextWrites(writes, sql === last);
      last = sql;
    }
    expect(engine === 'sqlite' ? writes : kills).toBeGreaterThan(2 * migrations.length);
    expect(await schemaOf(disturbed)).toEqual(await schemaOf(undisturbed));
    expect(await migrate(disturbed)).toEqual([]);
  }, 600_000);
});

if (engine === 'mysql') {
  describe('the migration lock', () => {
    it('is released when its holder is killed, and not earlier', async () => {
      const store = await createTestDatabase();
      const { database } = loadConfig({ DATABASE_URL: store.url });
      const writer = await (await createWriter(database, entities)).initialize();
      await migrate(writer);
      const [{ now }]: { now: string }[] = await writer.query('SELECT UNIX_TIMESTAMP() AS now');
      await writer.query("UPDATE migration_locks SET holder = 'dead', expires_at = ?", [Number(now) + 2]);
      await migrate(writer);
      const [after]: { now: string; holder: string }[] = await writer.query(
        'SELECT UNIX_TIMESTAMP() AS now, holder FROM migration_locks',
      );
      expect(Number(after.now)).toBeGreaterThan(Number(now) + 1);
      expect(after.holder).toBe('');
      await writer.destroy();
      await store.remove();
    });
  });
}
