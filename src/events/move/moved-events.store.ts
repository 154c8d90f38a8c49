import type { Database, Tx } from '../../database/database';
import { countRows } from '../../database/row-store';
import type { EventLogRow } from '../clickhouse/event-rows';
import { toEventLogRow } from '../clickhouse/event-rows';
import { quoted } from '../clickhouse/clickhouse';
import { EVENT_COLUMNS, EventRow, toNumbers, visitorsAfter } from '../stored-events.store';
import { EventPosition, RESERVED_BATCHES } from './event-moves.store';

/* Statements for the events in the main database and for the moved events in ClickHouse. */

/** An event in the main database, as a ClickHouse row without its batch. */
export interface UnmovedEvent {
  row: Omit<EventLogRow, 'batch_id'>;
  isAttributed: boolean;
}

/** Visitors whose events are removed in one transaction. */
const REMOVED_VISITORS = 500;

export async function countEvents({ read }: Database): Promise<number> {
  const [row]: { count: number | string }[] = await read.query('SELECT COUNT(*) AS count FROM events');
  return Number(row?.count);
}

/** The next events in key order. */
export async function eventsAfter(
  { read, engine }: Database,
  { project_id, visitor_id, event_id }: EventPosition,
  limit: number,
): Promise<UnmovedEvent[]> {
  // Each engine can use the primary key with only one of these two forms of the condition.
  const isAfter =
    engine === 'sqlite'
      ? '(project_id, visitor_id, event_id) > (?, ?, ?)'
      : 'project_id > ? OR (project_id = ? AND visitor_id > ?) OR (project_id = ? AND visitor_id = ? AND event_id > ?)';
  const parameters =
    engine === 'sqlite'
      ? [project_id, visitor_id, event_id]
      : [project_id, project_id, visitor_id, project_id, visitor_id, event_id];
  const rows: (EventRow & { project_id: number })[] = await read.query(
    `SELECT project_id, ${EVENT_COLUMNS}, attributed FROM events
      WHERE ${isAfter} ORDER BY project_id, visitor_id, event_id LIMIT ${limit}`,
    parameters,
  );
  return rows.map(toUnmoved);
}

const toUnmoved = (row: EventRow & { project_id: number }): UnmovedEvent => ({
  row: toEventLogRow(row.project_id, toNumbers(row)),
  isAttributed: Boolean(row.attributed),
});

const position = ({ project_id, visitor_id, event_id }: EventPosition): string =>
  `(${project_id}, ${quoted(visitor_id)}, ${quoted(event_id)})`;

/**
 * Statement for the moved events after `after` and up to `to`, each event once. Its rows are `EventLogRow`s. ClickHouse
 * uses the primary key for conditions on single columns, but not for tuples. Without the conditions on `visitor_id`,
 * ClickHouse would read the whole project.
 * @param to null = no upper limit
 */
export function movedEvents(after: EventPosition, to: EventPosition | null): string {
  const upTo =
    to === null
      ? ''
      : ` AND project_id <= ${to.project_id} AND (project_id < ${to.project_id} OR visitor_id <= ${quoted(to.visitor_id)})
     AND (project_id, visitor_id, event_id) <= ${position(to)}`;
  return `SELECT project_id, visitor_id, event_id, batch_id, occurred_at, arrived_at, experiment_id, variation_id, phase,
         goal_id, value, device
    FROM events
   WHERE batch_id <= ${RESERVED_BATCHES} AND project_id >= ${after.project_id}
     AND (project_id > ${after.project_id} OR visitor_id >= ${quoted(after.visitor_id)})
     AND (project_id, visitor_id, event_id) > ${position(after)}${upTo}
   ORDER BY project_id, visitor_id, event_id, batch_id LIMIT 1 BY project_id, visitor_id, event_id`;
}

/** Deletes the copies that exist when the deletion starts. Later rows are kept. */
export const deleteMovedEvents = (): string =>
  `ALTER TABLE events DELETE WHERE batch_id <= ${RESERVED_BATCHES}`;

/** A visitor of a project. */
export type VisitorPosition = Pick<EventPosition, 'project_id' | 'visitor_id'>;

/** Removes the next visitors' events from the main database. @returns null if no events are left */
export async function removeAfter(
  tx: Tx,
  { project_id: projectId, visitor_id: from }: VisitorPosition,
): Promise<{ removed: number; to: VisitorPosition } | null> {
  const to = (await visitorsAfter(tx, projectId, from, REMOVED_VISITORS)).at(-1);
  if (to !== undefined) {
    const removed = await countRows(
      tx,
      'DELETE FROM events WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ?',
      [projectId, from, to],
    );
    return { removed, to: { project_id: projectId, visitor_id: to } };
  }
  const [next]: { project_id: number | null }[] = await tx.query(
    'SELECT MIN(project_id) AS project_id FROM events WHERE project_id > ?',
    [projectId],
  );
  return typeof next?.project_id === 'number'
    ? { removed: 0, to: { project_id: next.project_id, visitor_id: '' } }
    : null;
}
