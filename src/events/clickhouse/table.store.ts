import type { Micros } from '../../common/time/clock';
import { integer, quoted } from './clickhouse';

/**
 * The events table. Times are in microseconds. 0 means "none", except in values. See docs/scaling.md for the design.
 */
export const createEvents = (owner: number): string => `CREATE TABLE IF NOT EXISTS events (
  project_id UInt32,
  visitor_id String CODEC(ZSTD(1)),
  event_id String CODEC(ZSTD(1)),
  batch_id UInt64 CODEC(ZSTD(1)),
  occurred_at Int64 CODEC(ZSTD(1)),
  arrived_at Int64 DEFAULT 0 CODEC(ZSTD(1)),
  experiment_id UInt32 DEFAULT 0 CODEC(ZSTD(1)),
  variation_id UInt32 DEFAULT 0 CODEC(ZSTD(1)),
  phase Int32 DEFAULT 0 CODEC(ZSTD(1)),
  goal_id UInt32 DEFAULT 0 CODEC(ZSTD(1)),
  value Nullable(Int64) CODEC(ZSTD(1)),
  device UInt8 CODEC(ZSTD(1)),
  INDEX batches batch_id TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Micro(occurred_at, 'UTC'))
ORDER BY (project_id, visitor_id, event_id, batch_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT '${ownerComment(owner)}'`;

/** Identifies the main database that tracks the table's batches. */
export const ownerComment = (owner: number): string => `Events of Gosset, log ${owner}`;

/** The table of closed batches that the main database has deleted. Events in these batches may still arrive. */
export const createClosedBatches = (): string => `CREATE TABLE IF NOT EXISTS closed_batches (
  batch_id UInt64 CODEC(Delta, ZSTD(1))
) ENGINE = ReplacingMergeTree
ORDER BY batch_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * The table of removals whose events have been, or are being, deleted from the events table. `happened_before` is 0 for
 * removals of visitors; the table contains no visitor ids. `project_id` is 0 in the row that notes the end of a round. `round` is the number of finished rounds of deletions that
 * the main database will have counted once the removal is complete.
 */
export const createRemovals = (): string => `CREATE TABLE IF NOT EXISTS removals (
  round UInt64,
  project_id UInt32,
  happened_before Int64,
  requested_at Int64
) ENGINE = ReplacingMergeTree
ORDER BY (round, project_id, happened_before, requested_at)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

/** Adds batches to the table of closed batches. Safe to repeat. */
export const insertClosedBatches = (ids: readonly number[]): string =>
  `INSERT INTO closed_batches VALUES ${ids.map((id) => `(${integer(id)})`).join(',')}`;

/** A row of the table of removals. */
export interface NotedRemoval {
  round: number;
  project_id: number;
  happened_before: number;
  requested_at: number;
}

/** Adds removals to the table of removals. Safe to repeat. */
export const insertRemovals = (removals: readonly NotedRemoval[]): string =>
  `INSERT INTO removals VALUES ${removals
    .map((each) => [each.round, each.project_id, each.happened_before, each.requested_at].map(integer))
    .map((values) => `(${values.join(',')})`)
    .join(',')}`;

/** The removals after a given round. */
export const removalsAfter = (round: number): string =>
  `SELECT DISTINCT round, project_id, happened_before, requested_at FROM removals WHERE round > ${integer(round)}`;

/** The row that notes the end of a round. No project has the id 0. */
export const endOf = (round: number): NotedRemoval => ({
  round,
  project_id: 0,
  happened_before: 0,
  requested_at: 0,
});

/** The last round that has ended; 0 if there is none. */
export const lastRound = (): string => 'SELECT max(round) AS round FROM removals WHERE project_id = 0';

/** Names and comments of the existing tables. */
export const ownTables = (): string =>
  `SELECT name, comment FROM system.tables
    WHERE database = currentDatabase() AND name IN ('events', 'closed_batches', 'removals')`;

/** The first batch after the given batch in each table. */
export const batchAfter = (batchId: number): string =>
  ['events', 'closed_batches']
    .map((table) => `SELECT batch_id FROM ${table} WHERE batch_id > ${batchId} ORDER BY batch_id LIMIT 1`)
    .map((first) => `(${first})`)
    .join(' UNION ALL ');

/** A batch up to the given one, if there is any. */
export const batchUpTo = (batchId: number): string =>
  `SELECT batch_id FROM events WHERE batch_id <= ${batchId} LIMIT 1`;

export const deleteUpTo = (batchId: number): string => `DELETE FROM events WHERE batch_id <= ${batchId}`;

/** The comment of the table of closed batches while the reserved batches have only copies of one move. */
export const copiesComment = (startedAt: Micros): string => `Copies of the move ${integer(startedAt)}`;

/** @param startedAt the move whose copies the reserved batches have; null = they have other events */
export const noteCopies = (startedAt: Micros | null): string =>
  `ALTER TABLE closed_batches MODIFY COMMENT ${quoted(startedAt === null ? '' : copiesComment(startedAt))}`;

/** The statements that an operator runs after restoring an older main database. */
export const deleteAfter = (batchId: number): string =>
  ['events', 'closed_batches'].map((table) => `DELETE FROM ${table} WHERE batch_id > ${batchId}`).join('; ');
