import type { QueryRunner } from 'typeorm';
import { MigrationJournal } from './migration-journal';

const MIGRATION = 'Example1';
const ALTER = 'ALTER TABLE goals ADD COLUMN note TEXT';

class DatabaseError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

/** What remains after a process is killed: the journal, and the effects of executed statements. */
class FakeDatabase {
  readonly executed: string[] = [];
  /** The error code with which the next statement of a migration fails; null if it succeeds. */
  refusal: string | null = null;
  private readonly notes = new Map<string, { is_done: number }>();

  /** Starts a process that runs the migration. @returns a function that runs statements */
  async begin(): Promise<(sql: string) => Promise<unknown>> {
    const query = async (sql: string, key?: unknown[]): Promise<unknown> =>
      this.answer(sql, JSON.stringify(key));
    const runner = { query } as unknown as QueryRunner;
    const journal = new MigrationJournal(runner, () => undefined);
    await journal.begin(MIGRATION);
    return (sql) => runner.query(sql);
  }

  private answer(sql: string, key: string): unknown {
    if (sql.startsWith('SELECT is_done')) {
      return [this.notes.get(key)].filter((note) => note !== undefined);
    }
    if (sql.includes('migration_statements')) {
      this.notes.set(key, { is_done: sql.startsWith('UPDATE') ? 1 : 0 });
      return undefined;
    }
    const code = this.refusal;
    this.refusal = null;
    if (code !== null) {
      throw new DatabaseError(code);
    }
    this.executed.push(sql);
    return undefined;
  }
}

describe('MigrationJournal', () => {
  let database: FakeDatabase;

  beforeEach(() => {
    database = new FakeDatabase();
  });

  /** Runs statements in a process that exits on the first failure. */
  async function migrate(...statements: string[]): Promise<void> {
    const run = await database.begin();
    for (const sql of statements) {
      await run(sql);
    }
  }

  it('executes each schema statement once, and identical statements as often as they occur', async () => {
    const statements = [ALTER, 'DROP TABLE old', ALTER];
    await migrate(...statements);
    await migrate(...statements);
    expect(database.executed).toEqual(statements);
  });

  it('executes row statements each time', async () => {
    const update = 'UPDATE goals SET note = 1';
    await migrate(update);
    await migrate(update);
    expect(database.executed).toEqual([update, update]);
  });

  it('treats an error as success only if it shows that a statement that began earlier took effect', async () => {
    for (const code of ['ER_DUP_FIELDNAME', 'ER_PARSE_ERROR']) {
      database.refusal = code;
      await expect(migrate(ALTER)).rejects.toThrow(code);
    }
    database.refusal = 'ER_DUP_FIELDNAME';
    await migrate(ALTER);
    await migrate(ALTER);
    expect(database.executed).toEqual([]);
  });
});
