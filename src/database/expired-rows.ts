import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Micros } from '../common/time/clock';
import type { Database } from './database';
import { placeholders } from './row-store';

/** Rows per transaction: on SQLite, neither other writes nor requests are served meanwhile. */
const BATCH = 1_000;

/** Which rows have expired: those whose indexed column has a time until `until`. */
export interface Expiry {
  table: string;
  column: string;
  until: Micros;
}

/** Deletes expired rows, the oldest first, in short transactions. Requests are served between them. */
export async function deleteExpiredRows(
  database: Database,
  { table, column, until }: Expiry,
  batch: number = BATCH,
): Promise<void> {
  const select = `SELECT id FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ${batch}`;
  for (;;) {
    const rows: { id: number }[] = await database.read.query(select, [until]);
    if (rows.length > 0) {
      const ids = rows.map(({ id }) => id);
      const sql = `DELETE FROM ${table} WHERE id IN (${placeholders(ids.length)})`;
      await database.transaction((tx) => tx.query(sql, ids));
    }
    if (rows.length < batch) {
      return;
    }
    await othersTurn();
  }
}
