import { createHash } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { systemCode } from '../common/files';

const TABLE = 'migration_statements';

/** Schema statements; MySQL commits them immediately. */
const IS_DEFINITION = /^\s*(CREATE|ALTER|DROP|RENAME)\b/i;

/** MySQL's errors for a repeated schema statement: the object already exists or no longer exists. */
const DONE_BEFORE = new Set([
  'ER_TABLE_EXISTS_ERROR',
  'ER_BAD_TABLE_ERROR',
  'ER_DUP_FIELDNAME',
  'ER_DUP_KEYNAME',
  'ER_CANT_DROP_FIELD_OR_KEY',
  'ER_FK_DUP_NAME',
  'ER_CHECK_CONSTRAINT_DUP_NAME',
]);

type Query = (sql: string, parameters?: unknown[], useStructuredResult?: boolean) => Promise<unknown>;

/**
 * Records the executed statements of a migration, so that a migration can be run again after an interruption at any
 * statement. A statement is recorded before and after its execution. A statement that started but did not finish is
 * executed again, although it may already have taken effect. Row statements are not recorded, because in migrations
 * they are idempotent.
 */
export class MigrationJournal {
  private readonly run: Query;
  private migration = '';
  private places = new Map<string, number>();

  /**
   * @param runner the runner whose statements are recorded
   * @param check called before each statement; throws if the statement must not be executed
   */
  constructor(
    runner: QueryRunner,
    private readonly check: () => void,
  ) {
    this.run = runner.query.bind(runner) as Query;
    const query: Query = (sql, parameters, useStructuredResult) => {
      this.check();
      return this.migration === '' || !IS_DEFINITION.test(sql)
        ? this.run(sql, parameters, useStructuredResult)
        : this.once(sql, parameters, useStructuredResult);
    };
    Object.assign(runner, { query });
  }

  /** Begins a migration, to which all following statements belong. */
  async begin(migration: string): Promise<void> {
    await this.run(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (
         migration VARCHAR(255) NOT NULL, statement CHAR(64) NOT NULL, place INT NOT NULL, is_done TINYINT NOT NULL,
         PRIMARY KEY (migration, statement, place)
       ) ENGINE = InnoDB`,
    );
    this.migration = migration;
    this.places = new Map();
  }

  /** Finishes the migration, and deletes the records of its statements, which are no longer needed. */
  async finish(): Promise<void> {
    await this.run(`DELETE FROM ${TABLE} WHERE migration = ?`, [this.migration]);
    this.migration = '';
  }

  /**
   * Executes a statement, unless the journal shows that it is done. A statement may occur several times in a migration;
   * the occurrences are told apart by their order.
   */
  private async once(sql: string, parameters?: unknown[], useStructuredResult?: boolean): Promise<unknown> {
    const statement = createHash('sha256')
      .update(JSON.stringify([sql, parameters]))
      .digest('hex');
    const place = this.places.get(statement) ?? 0;
    this.places.set(statement, place + 1);
    const key = [this.migration, statement, place];
    const where = 'migration = ? AND statement = ? AND place = ?';
    const [noted] = (await this.run(`SELECT is_done FROM ${TABLE} WHERE ${where}`, key)) as {
      is_done: number;
    }[];
    if (noted?.is_done === 1) {
      return undefined;
    }
    if (noted === undefined) {
      await this.run(`INSERT INTO ${TABLE} (migration, statement, place, is_done) VALUES (?, ?, ?, 0)`, key);
    }
    const result = await this.execute(
      () => this.run(sql, parameters, useStructuredResult),
      noted !== undefined,
    );
    await this.run(`UPDATE ${TABLE} SET is_done = 1 WHERE ${where}`, key);
    return result;
  }

  private async execute(statement: () => Promise<unknown>, mayBeDone: boolean): Promise<unknown> {
    try {
      return await statement();
    } catch (error) {
      if (mayBeDone && DONE_BEFORE.has(systemCode(error) ?? '')) {
        return undefined;
      }
      throw error;
    }
  }
}
