import type BetterSqlite3 from 'better-sqlite3';

/*
 * Sums that stay exact to the last digit. MySQL has DECIMAL(65, 0); SQLite has no decimals, so there such numbers are
 * text, and these functions calculate with them.
 */

type Engine = 'sqlite' | 'mysql';

/** Teaches a connection to SQLite to calculate with exact sums. */
export function addExactFunctions(connection: BetterSqlite3.Database): void {
  const options = { deterministic: true };
  connection.function('exact_add', options, (a: unknown, b: unknown) => String(exact(a) + exact(b)));
  connection.aggregate('exact_sum', {
    ...options,
    start: () => 0n,
    step: (total: bigint, value: unknown) => total + exact(value),
    result: (total: bigint) => String(total),
  });
}

const exact = (value: unknown): bigint => BigInt(value as string);

/** SQL that adds up an exact column over rows; most rows have 0, for which SQLite need not call anything. */
export const exactSum = (engine: Engine, column: string): string =>
  engine === 'sqlite' ? `exact_sum(${column}) FILTER (WHERE ${column} <> '0')` : `SUM(${column})`;

/** SQL that adds two exact values. */
export const exactAddition = (engine: Engine, a: string, b: string): string =>
  engine === 'sqlite' ? `exact_add(${a}, ${b})` : `${a} + ${b}`;
