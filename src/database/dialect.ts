import type BetterSqlite3 from 'better-sqlite3';
import { foldName } from '../common/text/names';

export type Engine = 'sqlite' | 'mysql';

/** End of an INSERT that ignores existing keys; `column` is a key column. */
export const ignoringDuplicates = (engine: Engine, column: string): string =>
  engine === 'sqlite' ? 'ON CONFLICT DO NOTHING' : `ON DUPLICATE KEY UPDATE ${column} = ${column}`;

/** End of an INSERT that changes existing rows with the same key instead. @param assignments SQL of the SET clause */
export const updatingDuplicates = (engine: Engine, key: readonly string[], assignments: string): string =>
  engine === 'sqlite'
    ? `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${assignments}`
    : `ON DUPLICATE KEY UPDATE ${assignments}`;

/** End of an INSERT that increments a column of existing rows with the same key, so that those rows change. */
export const countingDuplicates = (engine: Engine, key: readonly string[], column: string): string =>
  updatingDuplicates(engine, key, `${column} = ${column} + 1`);

/** The columns whose values are added to an existing row with the same key. */
export interface Additions {
  key: readonly string[];
  integers: readonly string[];
  exact: readonly string[];
}

/** End of an INSERT that adds the inserted values to existing rows with the same key. */
export function addingDuplicates(engine: Engine, { key, integers, exact }: Additions): string {
  const added = (column: string): string =>
    engine === 'sqlite' ? `excluded.${column}` : `VALUES(${column})`;
  const assignments = [
    ...integers.map((column) => `${column} = ${column} + ${added(column)}`),
    ...exact.map((column) => `${column} = ${exactAddition(engine, column, added(column))}`),
  ].join(', ');
  return updatingDuplicates(engine, key, assignments);
}

/** An SQL condition with `?` parameters. */
export interface Condition {
  sql: string;
  parameters: (string | number)[];
}

/** Conditions joined by AND. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

/** The condition that a column with case-folded names (see `foldName`) contains the text. */
export const foldedContains = (column: string, text: string): Condition => ({
  sql: `INSTR(${column}, ?) > 0`,
  parameters: [foldName(text)],
});

/*
 * Exact sums. MySQL uses DECIMAL(65, 0). SQLite has no exact decimal type, so exact numbers are stored as text, and the
 * functions in this file calculate with them.
 */

/** Registers the functions for exact sums on a SQLite connection. */
export function addExactFunctions(connection: BetterSqlite3.Database): void {
  const options = { deterministic: true };
  connection.function('exact_add', options, (a: unknown, b: unknown) => String(exact(a) + exact(b)));
  connection.function('exact_sum', options, (list: unknown) => (list === null ? '0' : sumOf(list as string)));
}

const exact = (value: unknown): bigint => BigInt(value as string);

/**
 * Integers of up to this many characters, and sums of a few of them, are exact as JavaScript numbers, which are faster
 * than big integers.
 */
const SHORT = 15;
const MAX_SHORT_SUM = 4e15;

/** Adds up integers that are separated by commas. */
function sumOf(list: string): string {
  let total = 0n;
  let short = 0;
  for (const value of list.split(',')) {
    if (value.length > SHORT) {
      total += exact(value);
      continue;
    }
    short += Number(value);
    if (Math.abs(short) > MAX_SHORT_SUM) {
      total += BigInt(short);
      short = 0;
    }
  }
  return String(total + BigInt(short));
}

/**
 * SQL that adds up an exact column over rows. On SQLite, the values of a group are passed to the function as one list,
 * which is faster than a function call for each value. Zeros are skipped, because most values are zero.
 */
export const exactSum = (engine: Engine, column: string): string =>
  engine === 'sqlite'
    ? `exact_sum(GROUP_CONCAT(${column}) FILTER (WHERE ${column} <> '0'))`
    : `SUM(${column})`;

/** SQL that adds two exact values. */
const exactAddition = (engine: Engine, a: string, b: string): string =>
  engine === 'sqlite' ? `exact_add(${a}, ${b})` : `${a} + ${b}`;
