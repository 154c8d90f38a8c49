import type { EntityManager } from 'typeorm';
import { chunksOf } from '../common/lists/collections';
import { numberOrNull } from '../database/columns';
import type { Tx } from '../database/database';
import type { Engine } from '../database/dialect';
import { amongPairs, placeholders } from '../database/row-store';
import type { VisitorEvent } from './attribution';
import type { VisitorEvents } from './links/linked-ids';
import { linkedIdsOf } from './links/linked-ids.store';

/** An event as returned by the drivers, which may return large integers as strings. */
export interface EventRow extends Omit<VisitorEvent, 'occurred_at' | 'arrived_at' | 'value'> {
  visitor_id: string;
  occurred_at: number | string;
  arrived_at?: number | string | null;
  value: number | string | null;
  attributed?: number;
}

/** The columns of `EventRow`, except `attributed`. */
export const EVENT_COLUMNS =
  'visitor_id, event_id, occurred_at, arrived_at, experiment_id, variation_id, phase, goal_id, value, device';

/** Maximum number of events in a statement that lists their keys. */
const CHUNK = 500;
/** Maximum number of ids in a statement that counts their events. */
const MAX_COUNTED_IDS = 1_000;

/** The row with its strings converted to numbers. */
export const toNumbers = <Row extends EventRow>({ occurred_at, arrived_at = null, value, ...row }: Row) => ({
  ...row,
  occurred_at: Number(occurred_at),
  arrived_at: numberOrNull(arrived_at),
  value: numberOrNull(value),
});

/** @param rows sorted by visitor */
export function groupByVisitor(rows: readonly EventRow[]): VisitorEvents[] {
  const visitors: VisitorEvents[] = [];
  for (const row of rows) {
    const event = { ...toNumbers(row), isAttributed: Boolean(row.attributed) };
    const last = visitors.at(-1);
    if (last?.visitorId === row.visitor_id) {
      last.events.push(event);
    } else {
      visitors.push({ visitorId: row.visitor_id, events: [event] });
    }
  }
  return visitors;
}

/** The events for these ids, sorted by id. */
export const eventsOf = (
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
): Promise<EventRow[]> =>
  manager.query(
    `SELECT ${EVENT_COLUMNS}, attributed FROM events
      WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)}) ORDER BY visitor_id`,
    [projectId, ...visitorIds],
  );

/** Maximum number of events in memory at a time, unless a single visitor has more. */
export const MAX_STEP_EVENTS = 50_000;

/** Whether these ids and all ids linked to them have more events than a step may read. */
export async function areTooMany(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
): Promise<boolean> {
  const ids = (await linkedIdsOf(manager, projectId, visitorIds, 'all')).and(visitorIds);
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM events WHERE project_id = ? AND visitor_id IN (${placeholders(ids.length)})
      LIMIT 1 OFFSET ${MAX_STEP_EVENTS}`,
    [projectId, ...ids],
  );
  return rows.length > 0;
}

/** Keeps halving a list until the events of the first part fit into one step. A single item is always returned. */
export const fittingPart = async <T>(
  items: readonly T[],
  doNotFit: (part: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> =>
  items.length > 1 && (await doNotFit(items))
    ? fittingPart(items.slice(0, Math.floor(items.length / 2)), doNotFit)
    : items;

/**
 * The number of events for each of these ids; ids without events are omitted. To keep statements fast, counting stops
 * just above the limit, so counts above it may be too low.
 */
export async function eventCounts(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
  limit: number,
): Promise<Map<string, number>> {
  if (visitorIds.length <= MAX_COUNTED_IDS) {
    const rows: { visitor_id: string; count: number | string }[] = await manager.query(
      `SELECT visitor_id, COUNT(*) AS count FROM (SELECT visitor_id FROM events
        WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)}) LIMIT ${limit + 1}) AS own
        GROUP BY visitor_id`,
      [projectId, ...visitorIds],
    );
    const counts = new Map(rows.map(({ visitor_id, count }) => [visitor_id, Number(count)]));
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (total <= limit || visitorIds.length === 1) {
      return counts;
    }
  }
  const half = Math.ceil(visitorIds.length / 2);
  const first = await eventCounts(manager, projectId, visitorIds.slice(0, half), limit);
  return new Map([...first, ...(await eventCounts(manager, projectId, visitorIds.slice(half), limit))]);
}

/** Deletes the events for these ids. */
export async function removeEventsOf(
  tx: Tx,
  projectId: number,
  visitorIds: readonly string[],
): Promise<void> {
  await tx.query(
    `DELETE FROM events WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`,
    [projectId, ...visitorIds],
  );
}

/** Maximum number of events in the range of visitors that a step deletes, unless it is a single visitor. */
const MAX_DELETED_EVENTS = 2_000;

/**
 * The last of the next ids, starting after a given id, whose events a step may delete; null if no more ids have events.
 * Reads only as many events as the step may delete.
 */
export async function lastDeletedInStep(
  manager: EntityManager,
  projectId: number,
  after: string,
): Promise<string | null> {
  const visitorAt = async (order: string, below?: string): Promise<string | undefined> => {
    const [row]: { visitor_id: string }[] = await manager.query(
      `SELECT visitor_id FROM events WHERE project_id = ? AND visitor_id > ?
        ${below === undefined ? '' : 'AND visitor_id < ?'} ORDER BY visitor_id ${order}`,
      [projectId, after, ...(below === undefined ? [] : [below])],
    );
    return row?.visitor_id;
  };
  const beyond = await visitorAt(`LIMIT 1 OFFSET ${MAX_DELETED_EVENTS}`);
  return (await visitorAt('DESC LIMIT 1', beyond)) ?? beyond ?? null;
}

/** Returns the next ids that have events, sorted, starting after a given id. */
export async function visitorsAfter(
  manager: EntityManager,
  projectId: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows: { visitor_id: string }[] = await manager.query(
    `SELECT DISTINCT visitor_id FROM events WHERE project_id = ? AND visitor_id > ?
      ORDER BY visitor_id LIMIT ${limit}`,
    [projectId, after],
  );
  return rows.map(({ visitor_id }) => visitor_id);
}

/** Marks exactly these events as attributed. */
export async function noteEventsAttributed(
  tx: Tx,
  engine: Engine,
  projectId: number,
  events: readonly EventRow[],
): Promise<void> {
  for (const chunk of chunksOf(events, CHUNK)) {
    const { sql, parameters } = amongPairs(
      engine,
      ['visitor_id', 'event_id'],
      chunk.map(({ visitor_id, event_id }) => [visitor_id, event_id]),
    );
    await tx.query(`UPDATE events SET attributed = 1 WHERE project_id = ? AND ${sql}`, [
      projectId,
      ...parameters,
    ]);
  }
}
