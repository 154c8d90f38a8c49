import type { Tx } from '../database/database';
import type { Reader } from '../database/delivery-pool';
import type { Engine } from '../database/dialect';
import { ConflictError } from '../database/errors';
import { amongPairs, countRows } from '../database/row-store';
import type { UnwantedRows } from '../database/stepwise-deletes';
import type { VisitorKey } from './event.store';

/** The mark of a dirty visitor, with the lock version that was read. */
export interface Mark extends VisitorKey {
  lock_version: number | string;
}

/** A mark with its time; see `DirtyVisitor`. */
export interface TimedMark extends Mark {
  marked_at: number | string;
}

/**
 * The next marks, sorted by project and visitor.
 * @param after the visitor after which to start; null starts with the first
 * @param lock the locking clause of the statement; empty for no lock
 */
export function marksAfter(
  tx: Tx,
  after: VisitorKey | null,
  limit: number,
  lock: string,
): Promise<TimedMark[]> {
  const tail = `ORDER BY project_id, visitor_id LIMIT ${limit}${lock}`;
  const select = 'SELECT project_id, visitor_id, lock_version, marked_at FROM dirty_visitors';
  return after === null
    ? tx.query(`${select} ${tail}`)
    : tx.query(`${select} WHERE project_id > ? OR (project_id = ? AND visitor_id > ?) ${tail}`, [
        after.project_id,
        after.project_id,
        after.visitor_id,
      ]);
}

/** @throws ConflictError if a mark was incremented or deleted since it was read */
export async function removeMarks(
  tx: Tx,
  engine: Engine,
  projectId: number,
  marks: readonly Mark[],
): Promise<void> {
  const { sql, parameters } = amongPairs(
    engine,
    ['visitor_id', 'lock_version'],
    marks.map(({ visitor_id, lock_version }) => [visitor_id, lock_version]),
  );
  const found = await countRows(tx, `DELETE FROM dirty_visitors WHERE project_id = ? AND ${sql}`, [
    projectId,
    ...parameters,
  ]);
  if (found !== marks.length) {
    throw new ConflictError();
  }
}

/** The marks of a project. */
export const marksOf = (projectId: number): UnwantedRows => ({
  table: 'dirty_visitors',
  where: 'project_id = ?',
  parameters: [projectId],
  key: ['project_id', 'visitor_id'],
});

/** The number of visitors with events that are not attributed yet. */
export async function countWaitingVisitors(reader: Reader): Promise<number> {
  const [row]: { count: number | string }[] = await reader.query(
    'SELECT COUNT(*) AS count FROM dirty_visitors',
  );
  return Number(row?.count);
}
