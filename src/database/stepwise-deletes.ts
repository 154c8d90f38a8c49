import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Micros } from '../common/time/clock';
import type { Database, Tx } from './database';
import { countRows } from './row-locks';

/** Rows per transaction: on SQLite, no other writes or requests are served during it. */
const BATCH = 1_000;

/** Rows to be deleted. */
export interface UnwantedRows {
  table: string;
  /** A condition with `?` parameters. */
  where: string;
  parameters: readonly (number | string)[];
  /** The columns of the index that finds the rows, so that steps neither scan nor sort. */
  key: readonly string[];
  /** Rows per transaction; fewer if a row is large or others depend on it. */
  batch?: number;
}

/** The rows whose indexed column has a time until the given one. */
export const expiredRows = (table: string, column: string, until: Micros): UnwantedRows => ({
  table,
  where: `${column} <= ?`,
  parameters: [until],
  key: [column],
});

/** Deletes the next of these rows. @returns how many; 0 if there were none */
export function deleteSome(
  tx: Tx,
  { table, where, parameters, key, batch = BATCH }: UnwantedRows,
): Promise<number> {
  const sql = `DELETE FROM ${table} WHERE ${where} ORDER BY ${key.join(', ')} LIMIT ${batch}`;
  return countRows(tx, sql, [...parameters]);
}

/** Deletes all of these rows, in short transactions. Requests are served between them. */
export async function deleteInSteps(database: Database, rows: UnwantedRows): Promise<void> {
  while ((await database.transaction((tx) => deleteSome(tx, rows))) > 0) {
    await othersTurn();
  }
}
