import type BetterSqlite3 from 'better-sqlite3';

/*
 * Exact sums. MySQL uses DECIMAL(65, 0). SQLite has no exact decimal type, so exact numbers are stored as text, and the
 * functions in this file do the arithmetic.
 */

type Engine = 'sqlite' | 'mysql';

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
export const exactAddition = (engine: Engine, a: string, b: string): string =>
  engine === 'sqlite' ? `exact_add(${a}, ${b})` : `${a} + ${b}`;
