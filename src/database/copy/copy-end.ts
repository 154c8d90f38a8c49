import type { CopiedTable, ValueKind } from './copied-tables';

/** A stored value, in the same form for both engines. */
export type Value = bigint | string | Buffer | null;

/** The values of a row, in the order of the table's columns. */
export type Row = readonly Value[];

/** A database cannot be copied. The message says what to do. */
export class CopyRefusedError extends Error {}

/** The source or the target of a copy, over one exclusive connection. */
export interface CopyEnd {
  /** Name of the database for messages, without secrets. */
  readonly name: string;
  /** Runs a query and returns rows as lists of the driver's values. */
  all(sql: string, values?: readonly Value[]): Promise<unknown[][]>;
  /** Runs a statement and returns the number of matched rows. */
  run(sql: string, values?: readonly Value[]): Promise<number>;
  /** Runs the work in one transaction, which is committed when the work's promise resolves. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  insert(table: CopiedTable, rows: readonly Row[]): Promise<void>;
  /** The condition that a row's key is greater than the given key, with its parameter values. */
  after(columns: readonly string[], key: readonly Value[]): { sql: string; values: Value[] };
  tables(): Promise<string[]>;
  /** The id that the next row of a table gets. */
  nextId(table: string): Promise<bigint>;
  setNextId(table: string, next: bigint): Promise<void>;
  /** @throws CopyRefusedError if another process is using the database */
  requireAlone(): Promise<void>;
  close(): Promise<void>;
}

/** Quotes a name in a way that both engines understand. */
export const quoted = (name: string): string => `\`${name}\``;

export const columnsOf = ({ columns }: CopiedTable): string =>
  columns.map(({ name }) => quoted(name)).join(', ');

export const keyOf = ({ key }: CopiedTable, row: Row): Value[] => key.map((place) => row[place] ?? null);

const keyNames = ({ key, columns }: CopiedTable): string[] =>
  key.map((place) => quoted(columns[place]?.name ?? ''));

const LONG_PAGE = 25;
const PAGE = 2_000;

/** The number of rows in memory at a time. */
export const pageSize = ({ isLong }: CopiedTable): number => (isLong ? LONG_PAGE : PAGE);

/** The next rows of a table in key order. @param key key of the previous row; null for the first rows */
export async function pageAfter(
  end: CopyEnd,
  table: CopiedTable,
  key: readonly Value[] | null,
  limit = pageSize(table),
): Promise<Row[]> {
  const names = keyNames(table);
  const { sql, values } = key === null ? { sql: '', values: [] } : end.after(names, key);
  const where = sql === '' ? '' : `WHERE ${sql}`;
  const rows = await end.all(
    `SELECT ${columnsOf(table)} FROM ${quoted(table.name)} ${where} ORDER BY ${names.join(', ')} LIMIT ${limit}`,
    values,
  );
  return rows.map((row) => toRow(table, row));
}

/** The row with this key; null if there is none. */
export async function rowWith(end: CopyEnd, table: CopiedTable, key: readonly Value[]): Promise<Row | null> {
  const where = keyNames(table).map((name) => `${name} = ?`);
  const [row] = await end.all(
    `SELECT ${columnsOf(table)} FROM ${quoted(table.name)} WHERE ${where.join(' AND ')}`,
    key,
  );
  return row === undefined ? null : toRow(table, row);
}

export async function countRows(end: CopyEnd, table: CopiedTable): Promise<number> {
  const [[count] = []] = await end.all(`SELECT COUNT(*) FROM ${quoted(table.name)}`);
  return Number(count);
}

/** Names of the migrations that have run on a database; empty if none have. */
export async function migrationsOf(end: CopyEnd): Promise<string[]> {
  if (!(await end.tables()).includes('migrations')) {
    return [];
  }
  const rows = await end.all('SELECT name FROM migrations ORDER BY id');
  return rows.map(([name]) => String(name));
}

const toRow = ({ columns }: CopiedTable, row: readonly unknown[]): Row =>
  columns.map(({ kind }, place) => toValue(kind, row[place]));

function toValue(kind: ValueKind, value: unknown): Value {
  if (value === null || value === undefined) {
    return null;
  }
  if (kind === 'integer') {
    return BigInt(value as number | string | bigint);
  }
  return value as string | Buffer;
}
