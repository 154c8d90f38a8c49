import { integer } from './clickhouse';

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

/** Adds batches to the table of closed batches. Safe to repeat. */
export const insertClosedBatches = (ids: readonly number[]): string =>
  `INSERT INTO closed_batches VALUES ${ids.map((id) => `(${integer(id)})`).join(',')}`;

/** Names and comments of the existing tables. */
export const ownTables = (): string =>
  "SELECT name, comment FROM system.tables WHERE database = currentDatabase() AND name IN ('events', 'closed_batches')";

/** The first batch after the given batch in each table. */
export const batchAfter = (batchId: number): string =>
  ['events', 'closed_batches']
    .map((table) => `SELECT batch_id FROM ${table} WHERE batch_id > ${batchId} ORDER BY batch_id LIMIT 1`)
    .map((first) => `(${first})`)
    .join(' UNION ALL ');

/** The statements that an operator runs after restoring an older main database. */
export const deleteAfter = (batchId: number): string =>
  ['events', 'closed_batches'].map((table) => `DELETE FROM ${table} WHERE batch_id > ${batchId}`).join('; ');
