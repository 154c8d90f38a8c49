-- Creates the tables for an export, in ClickHouse. docs/events-export.md describes the columns.

CREATE OR REPLACE TABLE events (
  event_id String,
  type LowCardinality(String),
  visitor_id String,
  canonical_id String,
  linked_at Nullable(DateTime64(6, 'UTC')),
  occurred_at DateTime64(6, 'UTC'),
  arrived_at Nullable(DateTime64(6, 'UTC')),
  experiment_id Nullable(Int32),
  experiment Nullable(String),
  variation_id Nullable(Int32),
  variation Nullable(String),
  phase Nullable(Int32),
  goal_id Nullable(Int32),
  goal Nullable(String),
  value Nullable(Decimal(18, 4)),
  device LowCardinality(String),
  excluded_from Nullable(String)
)
ENGINE = MergeTree
ORDER BY (canonical_id, visitor_id, event_id);

CREATE OR REPLACE TABLE rules (
  experiment_id Int32,
  experiment String,
  final_at Nullable(DateTime64(6, 'UTC')),
  runs Array(Tuple(started_at DateTime64(6, 'UTC'), ended_at Nullable(DateTime64(6, 'UTC')))),
  phases Array(DateTime64(6, 'UTC')),
  value_caps Array(Tuple(goal_id Int32, value_cap Decimal(18, 4)))
)
ENGINE = MergeTree
ORDER BY experiment_id;
