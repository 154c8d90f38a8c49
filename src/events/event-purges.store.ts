import { setImmediate as othersTurn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { chunksOf } from '../common/lists/collections';
import { nowMicros } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import type { Database, Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import type { UnwantedRows } from '../database/stepwise-deletes';
import type { PendingPurge } from './event.entities';
import { lastDeletedInStep } from './stored-events.store';

const PURGED_VISITORS = 500;
const CHUNK = 500;
/** Rows per transaction, if the rows are large or have many dependent rows. */
const LARGE_ROWS = 50;

/** The scheduled deletions, oldest first. */
export async function scheduledPurges(manager: EntityManager): Promise<PendingPurge[]> {
  const rows: PendingPurge[] = await manager.query(
    'SELECT id, project_id, experiment_id, purged_at, up_to_batch FROM event_purges ORDER BY id',
  );
  return rows.map((row) => ({
    ...row,
    purged_at: numberOrNull(row.purged_at),
    up_to_batch: numberOrNull(row.up_to_batch),
  }));
}

export async function insertPurge(tx: Tx, projectId: number, experimentId: number | null): Promise<void> {
  await tx.query('INSERT INTO event_purges (project_id, experiment_id) VALUES (?, ?)', [
    projectId,
    experimentId,
  ]);
}

/** Records that everything was deleted, except events in batches up to `upToBatch` that have not arrived yet. */
export async function notePurged(tx: Tx, id: number, upToBatch: number): Promise<void> {
  await tx.query('UPDATE event_purges SET purged_at = ?, up_to_batch = ? WHERE id = ?', [
    nowMicros(),
    upToBatch,
    id,
  ]);
}

export async function removePurge(tx: Tx, id: number): Promise<void> {
  await tx.query('DELETE FROM event_purges WHERE id = ?', [id]);
}

/** The ids without a row. */
export async function missingIds(
  manager: EntityManager,
  table: 'projects' | 'experiments',
  ids: readonly number[],
): Promise<number[]> {
  const known = new Set<number>();
  for (const chunk of chunksOf(ids, CHUNK)) {
    const rows: { id: number }[] = await manager.query(
      `SELECT id FROM ${table} WHERE id IN (${placeholders(chunk.length)})`,
      [...chunk],
    );
    rows.forEach(({ id }) => known.add(id));
  }
  return ids.filter((id) => !known.has(id));
}

/** The experiments whose results a purge deletes. */
export async function purgedExperiments(
  manager: EntityManager,
  { project_id, experiment_id }: PendingPurge,
): Promise<number[]> {
  if (experiment_id !== null) {
    return [experiment_id];
  }
  const rows: { id: number }[] = await manager.query(
    'SELECT id FROM experiments WHERE project_id = ? ORDER BY id',
    [project_id],
  );
  return rows.map(({ id }) => id);
}

/**
 * The rows that belong to a purged project, of which there can be many. Deleting the project's row would delete all of
 * them in one transaction. No request reads or adds rows of a deleted project.
 */
export async function rowsOfProject(manager: EntityManager, projectId: number): Promise<UnwantedRows[]> {
  const webhooks: { id: number }[] = await manager.query('SELECT id FROM webhooks WHERE project_id = ?', [
    projectId,
  ]);
  const own = { where: 'project_id = ?', parameters: [projectId] };
  return [
    ...webhooks.map(({ id }) => ({
      table: 'webhook_deliveries',
      where: 'webhook_id = ?',
      parameters: [id],
      key: ['webhook_id', 'lane', 'status', 'id'],
    })),
    {
      ...own,
      table: 'publication_parts',
      key: ['project_id', 'revision', 'part', 'position'],
      batch: LARGE_ROWS,
    },
    { ...own, table: 'publications', key: ['project_id', 'revision'] },
    {
      // The deletion's entry stays, like the purge's, to show who deleted the project.
      where: "project_id = ? AND NOT (item_type = 'project' AND action = 'delete')",
      parameters: [projectId],
      table: 'audit_entries',
      key: ['project_id', 'id'],
      batch: LARGE_ROWS,
    },
    { ...own, table: 'deleted_visitors', key: ['project_id', 'visitor_hash'] },
    { ...own, table: 'experiments', key: ['project_id', 'name_key'], batch: LARGE_ROWS },
  ];
}

/** Deletes a purged record's exclusions for some visitors. @returns false if there were none */
export async function removeExclusions(
  tx: Tx,
  { project_id, experiment_id }: Pick<PendingPurge, 'project_id' | 'experiment_id'>,
): Promise<boolean> {
  const where = 'project_id = ? AND (? IS NULL OR experiment_id = ?)';
  const parameters = [project_id, experiment_id, experiment_id];
  const rows: { visitor_id: string }[] = await tx.query(
    `SELECT DISTINCT visitor_id FROM excluded_visitors WHERE ${where} ORDER BY visitor_id LIMIT ${PURGED_VISITORS}`,
    parameters,
  );
  if (rows.length > 0) {
    await tx.query(
      `DELETE FROM excluded_visitors WHERE ${where} AND visitor_id IN (${placeholders(rows.length)})`,
      [...parameters, ...rows.map(({ visitor_id }) => visitor_id)],
    );
  }
  return rows.length > 0;
}

/**
 * Whether events may still be stored: all of these projects and experiments have a row, which deleted records keep until
 * they are purged, and the running experiments still run.
 */
export async function mayStoreEvents(
  tx: Tx,
  projectIds: readonly number[],
  experimentIds: readonly number[],
  runningIds: readonly number[],
): Promise<boolean> {
  const wanted = [
    ['SELECT id FROM projects WHERE id', projectIds] as const,
    ['SELECT id FROM experiments WHERE id', experimentIds] as const,
    // Deleting an experiment deletes its runs.
    [
      'SELECT DISTINCT experiment_id FROM experiment_runs WHERE ended_at IS NULL AND experiment_id',
      runningIds,
    ] as const,
  ].filter(([, ids]) => ids.length > 0);
  const ids = wanted.flatMap(([, own]) => own);
  if (ids.length === 0) {
    return true;
  }
  const sql = wanted.map(([select, own]) => `${select} IN (${placeholders(own.length)})`);
  const rows: unknown[] = await tx.query(sql.join(' UNION ALL '), ids);
  return rows.length === ids.length;
}

/** Deletes the row of a purged record, and everything that still refers to it. */
export async function removeRecord(tx: Tx, { project_id, experiment_id }: PendingPurge): Promise<void> {
  const [table, id] = experiment_id === null ? ['projects', project_id] : ['experiments', experiment_id];
  await tx.query(`DELETE FROM ${table} WHERE id = ? AND deleted_at IS NOT NULL`, [id]);
}

/**
 * Deletes events from the main database in small batches, sorted by visitor, so other transactions are not blocked. Lets
 * other work run between batches, because SQLite statements block the event loop.
 * @param begin runs at the start of each transaction, including the last one, which finds no more events
 */
export async function purgeEvents(
  database: Database,
  projectId: number,
  experimentId: number | null,
  begin: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (let from = ''; ;) {
    const after = from;
    const to = await lastDeletedInStep(database.read, projectId, after);
    await database.transaction(async (tx) => {
      await begin(tx);
      if (to !== null) {
        await removeRange(tx, [projectId, after, to], experimentId);
      }
    });
    if (to === null) {
      return;
    }
    from = to;
    await othersTurn();
  }
}

/** Conversions are kept when an experiment is deleted, because other experiments may count them. */
async function removeRange(
  tx: Tx,
  parameters: readonly (number | string)[],
  experimentId: number | null,
): Promise<void> {
  const range = 'WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ?';
  if (experimentId !== null) {
    await tx.query(`DELETE FROM events ${range} AND experiment_id = ?`, [...parameters, experimentId]);
    return;
  }
  await tx.query(`DELETE FROM events ${range}`, [...parameters]);
}
