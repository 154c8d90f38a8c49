import { chunksOf } from '../common/lists/collections';
import type { Micros } from '../common/time/clock';
import type { Database, Tx } from '../database/database';
import { batchesOf, placeholders } from '../database/row-store';
import type { AuditEntry } from './audit-entry.entity';

const COLUMNS = [
  'at',
  'source',
  'user_id',
  'token_id',
  'action',
  'project_id',
  'item_type',
  'item_id',
  'item_name',
  'item_search',
  'before',
  'after',
  'request_id',
] as const satisfies (keyof AuditEntry)[];

/** Quoted, because `before` and `after` are keywords in some databases. */
const NAMES = COLUMNS.map((column) => `\`${column}\``).join(', ');

/** An entry, with the changes as JSON. */
export type NewAuditEntry = Pick<AuditEntry, Exclude<(typeof COLUMNS)[number], 'before' | 'after'>> &
  Record<'before' | 'after', string | null>;

/** Maximum number of entries per statement. SQLite limits the number of parameters. */
const CHUNK = 1_000;

export async function insertAuditEntries(tx: Tx, entries: readonly NewAuditEntry[]): Promise<void> {
  for (const chunk of batchesOf(entries).flatMap((batch) => chunksOf(batch, CHUNK))) {
    const tuples = chunk.map(() => `(${placeholders(COLUMNS.length)})`).join(', ');
    const values = chunk.flatMap((entry) => COLUMNS.map((column) => entry[column]));
    await tx.query(`INSERT INTO audit_entries (${NAMES}) VALUES ${tuples}`, values);
  }
}

/**
 * Entries for one action that belong to no project, were created up to a given time, and have a different `after` JSON
 * than the given one.
 */
export async function auditEntriesToChange(
  database: Database,
  { action, until, after }: { action: string; until: Micros; after: string },
  batch: { afterId: number; limit: number },
): Promise<number[]> {
  const rows: { id: number }[] = await database.read.query(
    `SELECT id FROM audit_entries
      WHERE project_id IS NULL AND id > ? AND action = ? AND at <= ? AND \`after\` <> ?
      ORDER BY id LIMIT ${batch.limit}`,
    [batch.afterId, action, until, after],
  );
  return rows.map(({ id }) => id);
}

/** Replaces the `after` JSON of the entries. */
export async function replaceAfter(database: Database, ids: readonly number[], after: string): Promise<void> {
  const sql = `UPDATE audit_entries SET \`after\` = ? WHERE id IN (${placeholders(ids.length)})`;
  await database.transaction((tx) => tx.query(sql, [after, ...ids]));
}
