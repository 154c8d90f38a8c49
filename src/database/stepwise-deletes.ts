import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Micros } from '../common/time/clock';
import type { Database, Tx } from './database';
import { countRows } from './row-store';

/** Rows per transaction. On SQLite, a transaction blocks all other writes and requests. */
const BATCH = 1_000;

/** Rows to be deleted. */
export interface UnwantedRows {
  table: string;
  /** A condition with `?` parameters. */
  where: string;
  parameters: readonly (number | string)[];
  /** The columns of the index that finds the rows, so that steps neither scan nor sort. */
  key: readonly string[];
  /** Rows per transaction. Use fewer if rows are large or other rows depend on them. */
  batch?: number;
}

/** The rows whose indexed column has a time at or before the given time. */
export const expiredRows = (table: string, column: string, until: Micros): UnwantedRows => ({
  table,
  where: `${column} <= ?`,
  parameters: [until],
  key: [column],
});

/** Deletes some of these rows. @returns the number of deleted rows; 0 if there were none */
export function deleteSome(
  tx: Tx,
  { table, where, parameters, key, batch = BATCH }: UnwantedRows,
): Promise<number> {
  const sql = `DELETE FROM ${table} WHERE ${where} ORDER BY ${key.join(', ')} LIMIT ${batch}`;
  return countRows(tx, sql, [...parameters]);
}

/** Deletes all of these rows, in short transactions. Requests are served between the transactions. */
export async function deleteInSteps(database: Database, rows: UnwantedRows): Promise<void> {
  while ((await database.transaction((tx) => deleteSome(tx, rows))) > 0) {
    await othersTurn();
  }
}
