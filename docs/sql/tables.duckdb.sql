-- Creates the tables for an export, in DuckDB. docs/events-export.md describes the columns.

CREATE OR REPLACE TABLE events (
  event_id VARCHAR NOT NULL,
  type VARCHAR NOT NULL,
  visitor_id VARCHAR NOT NULL,
  canonical_id VARCHAR NOT NULL,
  linked_at TIMESTAMPTZ,
  occurred_at TIMESTAMPTZ NOT NULL,
  arrived_at TIMESTAMPTZ,
  experiment_id INTEGER,
  experiment VARCHAR,
  variation_id INTEGER,
  variation VARCHAR,
  phase INTEGER,
  goal_id INTEGER,
  goal VARCHAR,
  value DECIMAL(18, 4),
  device VARCHAR NOT NULL,
  excluded_from VARCHAR
);

CREATE OR REPLACE TABLE rules (
  experiment_id INTEGER NOT NULL,
  experiment VARCHAR NOT NULL,
  final_at TIMESTAMPTZ,
  runs STRUCT(started_at TIMESTAMPTZ, ended_at TIMESTAMPTZ)[] NOT NULL,
  phases TIMESTAMPTZ[] NOT NULL,
  value_caps STRUCT(goal_id INTEGER, value_cap DECIMAL(18, 4))[] NOT NULL
);
