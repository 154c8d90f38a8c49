import type { EventKey } from '../recent/recent-events.store';
import { EVENT_COLUMNS, type EventRow } from '../stored-events.store';
import { integer, quoted } from './clickhouse';
import { nextVisitors } from './scopes.store';

/* Statements that read and delete events in ClickHouse. */

const among = (projectId: number, visitorIds: readonly string[], batches: string): string =>
  visitorIds.length === 0
    ? 'false'
    : `project_id = ${projectId} AND visitor_id IN (${visitorIds.map(quoted).join(',')}) AND (${batches})`;

const ofExperiment = (experimentId: number | null): string =>
  experimentId === null ? 'experiment_id > 0' : `experiment_id = ${experimentId}`;

/** Each event once, from the first batch that contains it. */
const once = (condition: string): string =>
  `(SELECT visitor_id, event_id, experiment_id, occurred_at FROM events WHERE ${condition}
     ORDER BY project_id, visitor_id, event_id, batch_id LIMIT 1 BY project_id, visitor_id, event_id)`;

export const visitorsAfter = nextVisitors;

export const firstExposures = (
  projectId: number,
  experimentId: number | null,
  visitorIds: readonly string[],
  batches: string,
): string =>
  `SELECT visitor_id, min(occurred_at) AS first FROM ${once(among(projectId, visitorIds, batches))}
    WHERE ${ofExperiment(experimentId)} GROUP BY visitor_id ORDER BY visitor_id`;

export const spans = (
  projectId: number,
  experimentId: number | null,
  visitorIds: readonly string[],
  batches: string,
): string => {
  const events = once(among(projectId, visitorIds, batches));
  return `SELECT experiment_id AS id, min(occurred_at) AS first, (SELECT max(occurred_at) FROM ${events}) AS last
    FROM ${events} WHERE ${ofExperiment(experimentId)} GROUP BY experiment_id ORDER BY experiment_id`;
};

/** The number of events for each of these ids, including duplicates. Ids without events are omitted. */
export const countsOf = (projectId: number, visitorIds: readonly string[], batches: string): string =>
  `SELECT visitor_id, count() AS count FROM events WHERE ${among(projectId, visitorIds, batches)}
    GROUP BY visitor_id`;

export const moments = (projectId: number, keys: readonly EventKey[], batches: string): string =>
  `SELECT visitor_id, event_id, occurred_at FROM ${once(
    `project_id = ${projectId} AND (visitor_id, event_id) IN (${keys
      .map(({ visitorId, eventId }) => `(${quoted(visitorId)},${quoted(eventId)})`)
      .join(',')}) AND (${batches})`,
  )}`;

/**
 * All copies of the events for these ids, attributed copies first.
 * @param attributed condition for attributed batches
 */
export const eventsOf = (
  projectId: number,
  visitorIds: readonly string[],
  attributed: string,
  remaining: string,
): string =>
  `SELECT ${EVENT_COLUMNS}, batch_id, (${attributed}) AS attributed FROM events
    WHERE project_id = ${projectId} AND visitor_id IN (${visitorIds.map(quoted).join(',')}) AND ${remaining}
    ORDER BY visitor_id, event_id, attributed DESC, batch_id`;

/** The events in a project after a given event, without duplicates, sorted by visitor and id. */
export const eventsAfter = (
  projectId: number,
  { visitor_id, event_id }: Pick<EventRow, 'visitor_id' | 'event_id'>,
  batches: string,
  limit: number,
): string =>
  `SELECT ${EVENT_COLUMNS} FROM events
    WHERE project_id = ${projectId} AND visitor_id >= ${quoted(visitor_id)}
      AND (visitor_id > ${quoted(visitor_id)} OR event_id > ${quoted(event_id)}) AND (${batches})
    ORDER BY project_id, visitor_id, event_id, batch_id LIMIT 1 BY project_id, visitor_id, event_id LIMIT ${limit}`;

/** Counts a project's events, including duplicates. */
export const countEvents = (projectId: number, batches: string): string =>
  `SELECT count() AS count FROM events WHERE project_id = ${projectId} AND (${batches})`;

/** The first partition that contains matching events. The row has a `_partition_id`. */
export const partitionWith = (events: string): string =>
  `SELECT DISTINCT _partition_id FROM events WHERE ${events} ORDER BY _partition_id LIMIT 1`;

/** Deletes events permanently. */
export const deleteIn = (partitionId: string, events: string): string =>
  `ALTER TABLE events DELETE IN PARTITION ID ${quoted(partitionId)} WHERE ${events}`;

/** Finds a deletion that is still running after its statement failed or timed out. */
export const unfinishedDeletion = (): string =>
  `SELECT mutation_id FROM system.mutations
    WHERE database = currentDatabase() AND table = 'events' AND NOT is_done LIMIT 1`;

/**
 * Removes finished deletions whose text contains visitor ids from ClickHouse's list of mutations. Otherwise, ClickHouse
 * keeps recently finished deletions in the list.
 */
export const forgetDeletions = (): string =>
  `KILL MUTATION WHERE database = currentDatabase() AND table = 'events' AND is_done
     AND position(command, 'visitor_id') > 0`;

/** Conversions are kept when an experiment is deleted, because other experiments may count them. */
export const purge = (projectId: number, experimentId: number | null): string =>
  `ALTER TABLE events DELETE WHERE project_id = ${projectId}${
    experimentId === null ? '' : ` AND experiment_id = ${experimentId}`
  }`;

/** The ids of all projects with events, with the ids of their experiments; 0 for conversions. */
export const owners = (): string =>
  'SELECT project_id, experiment_id FROM events GROUP BY project_id, experiment_id';

/** Like `purge`, for several projects and experiments. At least one list must not be empty. */
export const purgeAll = (projectIds: readonly number[], experimentIds: readonly number[]): string =>
  `ALTER TABLE events DELETE WHERE ${Object.entries({ project_id: projectIds, experiment_id: experimentIds })
    .filter(([, ids]) => ids.length > 0)
    .map(([column, ids]) => `${column} IN (${ids.map(integer).join(',')})`)
    .join(' OR ')}`;
