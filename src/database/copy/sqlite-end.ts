import { resolve } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { hasCode, openingError } from '../errors';
import { retryTransient } from '../retry';
import { loadSqliteDriver, lockFile, TABLE_NAMES } from '../sqlite-driver';
import type { CopiedTable } from './copied-tables';
import { columnsOf, CopyEnd, CopyRefusedError, quoted, Row, Value } from './copy-end';

/** How long to wait for processes that are closing the file. */
const TIMEOUT_MS = 3_000;

/** A SQLite file. */
export class SqliteEnd implements CopyEnd {
  readonly name: string;
  private readonly connection: BetterSqlite3.Database;

  /** @param file must exist */
  constructor(file: string) {
    this.name = resolve(file);
    const Driver = loadSqliteDriver();
    this.connection = new Driver(file, { timeout: 0, fileMustExist: true });
    this.connection.defaultSafeIntegers(true);
    this.connection.pragma('foreign_keys = ON');
    this.connection.pragma('synchronous = FULL');
  }

  async all(sql: string, values: readonly Value[] = []): Promise<unknown[][]> {
    return this.named(
      () =>
        this.connection
          .prepare(sql)
          .raw(true)
          .all(...values) as unknown[][],
    );
  }

  async run(sql: string, values: readonly Value[] = []): Promise<number> {
    return this.named(() => this.connection.prepare(sql).run(...values).changes);
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    this.named(() => this.connection.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work();
      this.named(() => this.connection.exec('COMMIT'));
      return result;
    } finally {
      if (this.connection.inTransaction) {
        this.connection.exec('ROLLBACK');
      }
    }
  }

  async insert(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    const values = table.columns.map(() => '?').join(', ');
    const statement = this.connection.prepare(
      `INSERT INTO ${quoted(table.name)} (${columnsOf(table)}) VALUES (${values})`,
    );
    this.named(() => rows.forEach((row) => statement.run(...row)));
  }

  after(columns: readonly string[], key: readonly Value[]): { sql: string; values: Value[] } {
    return { sql: `(${columns.join(', ')}) > (${columns.map(() => '?').join(', ')})`, values: [...key] };
  }

  async tables(): Promise<string[]> {
    const rows = await this.all(TABLE_NAMES);
    return rows.map(([name]) => String(name));
  }

  async nextId(table: string): Promise<bigint> {
    const [[last] = []] = await this.all('SELECT seq FROM sqlite_sequence WHERE name = ?', [table]);
    return BigInt((last as bigint | undefined) ?? 0) + 1n;
  }

  async setNextId(table: string, next: bigint): Promise<void> {
    const changed = await this.run('UPDATE sqlite_sequence SET seq = ? WHERE name = ?', [next - 1n, table]);
    if (changed === 0) {
      await this.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, next - 1n]);
    }
  }

  /** Reserves the file for this process until it is closed. */
  async requireAlone(): Promise<void> {
    try {
      await retryTransient(async () => lockFile(this.connection), TIMEOUT_MS);
    } catch (error) {
      throw hasCode(error, 'SQLITE_BUSY')
        ? new CopyRefusedError(
            `Another process has the database file ${this.name} open. Stop all servers, workers and other programs that use it, then run the command again.`,
          )
        : error;
    }
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  /** Runs statements. Errors of the file name the file, because a copy can have two. */
  private named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw openingError({ engine: 'sqlite', file: this.name }, error);
    }
  }
}
