import type { TestApi } from './api';

type Row = Record<string, unknown>;

/** The tables of the main database that depend on events. */
const TABLES = [
  'experiment_results',
  'result_cells',
  'entry_cells',
  'event_removals',
  'event_retention',
  'event_log_marks',
  'deleted_visitors',
  'linked_visitors',
];

/** Copies what the main database knows about events. @returns a function that restores the copy, like a backup */
export async function backUpEvents({ database }: TestApi): Promise<() => Promise<void>> {
  const copies = new Map<string, Row[]>();
  for (const table of TABLES) {
    copies.set(table, await database.read.query(`SELECT * FROM ${table}`));
  }
  return () =>
    database.transaction(async (tx) => {
      for (const [table, rows] of copies) {
        await tx.query(`DELETE FROM ${table}`);
        for (const row of rows) {
          const columns = Object.keys(row);
          await tx.query(
            `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
            Object.values(row),
          );
        }
      }
    });
}
