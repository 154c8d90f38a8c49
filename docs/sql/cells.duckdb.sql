-- Recomputes results from an export, in DuckDB 1.3 or later. Reads the tables `events` and `rules`, and creates
-- the tables `participants` and `cells`. Values are integers in units of 1/10,000, so all sums are exact.

CREATE OR REPLACE TEMP VIEW rule AS
SELECT
  experiment_id,
  epoch_us(final_at) AS final_at,
  -- Client times have millisecond precision, so the millisecond in which a run or phase began belongs to it.
  [{'from_at': epoch_us(run.started_at) // 1000 * 1000, 'until_at': epoch_us(run.ended_at)} FOR run IN runs] AS runs,
  [epoch_us(began_at) // 1000 * 1000 FOR began_at IN phases] AS phases,
  value_caps
FROM rules;

CREATE OR REPLACE TEMP VIEW event AS
SELECT
  event_id,
  visitor_id,
  canonical_id,
  epoch_us(linked_at) AS linked_at,
  epoch_us(occurred_at) AS at_us,
  epoch_us(arrived_at) AS arrived_at,
  experiment_id,
  variation_id,
  phase,
  goal_id,
  CAST(coalesce(value, 0) * 10000 AS HUGEINT) AS value,
  device,
  excluded_from,
  -- Sort key: if a message was sent under several ids of a visitor at the same time, the first id in this order counts.
  CASE WHEN visitor_id LIKE '% ' THEN visitor_id || chr(127) ELSE visitor_id END AS id_order
FROM events;

-- One row for each experiment and each of its visitors.
CREATE OR REPLACE TABLE participants AS
WITH
exposures AS (
  SELECT
    experiment_id,
    -- Ids that were linked after the result became final remain separate visitors.
    CASE WHEN linked_at >= final_at THEN visitor_id ELSE canonical_id END AS participant_id,
    canonical_id,
    variation_id,
    CASE
      -- 2147483647 means that the phase is unknown.
      WHEN phase BETWEEN 1 AND len(phases) OR phase = 2147483647 THEN phase
      ELSE greatest(1, coalesce(list_position([began_at > at_us FOR began_at IN phases], true) - 1, len(phases)))
    END AS phase,
    device,
    at_us,
    {'at_us': at_us, 'event_id': event_id, 'id_order': id_order} AS place
  FROM event JOIN rule USING (experiment_id)
  WHERE len([run FOR run IN runs IF at_us >= run.from_at AND (run.until_at IS NULL OR at_us < run.until_at)]) > 0
    AND (arrived_at IS NULL OR final_at IS NULL OR arrived_at < final_at)
),
by_variation AS (
  SELECT
    experiment_id,
    participant_id,
    canonical_id,
    min(place) AS place,
    arg_min({'variation_id': variation_id, 'phase': phase, 'device': device, 'entered_at': at_us}, place) AS entry
  FROM exposures
  GROUP BY experiment_id, participant_id, canonical_id, variation_id
),
excluded AS (
  SELECT DISTINCT
    rule.experiment_id,
    CASE WHEN linked_at >= final_at THEN visitor_id ELSE canonical_id END AS participant_id
  FROM event JOIN rule
    ON excluded_from = 'all' OR list_contains(string_split(excluded_from, ','), CAST(rule.experiment_id AS VARCHAR))
)
SELECT
  experiment_id,
  participant_id,
  canonical_id,
  unnest(arg_min(entry, place)),
  -- The first exposure to another variation: the second-earliest of the first exposures to each variation.
  list_sort(list(entry.entered_at))[2] AS crossed_at
FROM by_variation ANTI JOIN excluded USING (experiment_id, participant_id)
GROUP BY experiment_id, participant_id, canonical_id;

-- One row for each experiment, goal (0: entered, -1: crossed over), variation, phase, device, entry day and event day.
CREATE OR REPLACE TABLE cells AS
WITH
-- The conversions of participants. A message that was sent under two ids has two rows, numbered by `copy`.
conversions AS (
  SELECT
    participants.experiment_id,
    participant_id,
    event.goal_id,
    event.at_us,
    event.value,
    row_number() OVER (
      PARTITION BY participants.experiment_id, participant_id, event_id ORDER BY event.at_us, id_order
    ) AS copy
  FROM participants
    JOIN event USING (canonical_id)
    JOIN rule ON rule.experiment_id = participants.experiment_id
  WHERE event.goal_id IS NOT NULL
    AND event.at_us >= entered_at
    AND participant_id = CASE WHEN linked_at >= final_at THEN visitor_id ELSE canonical_id END
    AND len([run FOR run IN runs IF event.at_us >= run.from_at AND (run.until_at IS NULL OR event.at_us < run.until_at)]) > 0
    AND (arrived_at IS NULL OR final_at IS NULL OR arrived_at < final_at)
),
days AS (
  SELECT experiment_id, participant_id, goal_id, at_us // 86400000000 AS event_day, count(*) AS n, sum(value) AS value
  FROM conversions
  WHERE copy = 1
  GROUP BY ALL
),
caps AS (
  SELECT DISTINCT cap.goal_id, CAST(cap.value_cap * 10000 AS HUGEINT) AS value_cap
  FROM (SELECT unnest(value_caps) AS cap FROM rule)
),
-- The cumulative conversions and value of each participant and goal, before and after each day.
totals AS (
  SELECT
    days.*,
    sum(n) OVER until_now AS n_after,
    n_after - n AS n_before,
    sum(value) OVER until_now AS value_after,
    value_after - value AS value_before,
    CASE WHEN value_after > value_cap THEN value_cap ELSE value_after END AS capped_after,
    CASE WHEN value_before > value_cap THEN value_cap ELSE value_before END AS capped_before
  FROM days LEFT JOIN caps USING (goal_id)
  WINDOW until_now AS (PARTITION BY experiment_id, participant_id, goal_id ORDER BY event_day)
),
contributions AS (
  SELECT experiment_id, participant_id, 0 AS goal_id, entered_at // 86400000000 AS event_day, 1 AS participants,
    0 AS converters, 0 AS conversions, 0 AS value, 0 AS value_excess, 0 AS value_squared, 0 AS conversions_squared,
    0 AS value_by_conversions
  FROM participants
  UNION ALL
  SELECT experiment_id, participant_id, -1, crossed_at // 86400000000, 1, 0, 0, 0, 0, 0, 0, 0
  FROM participants
  WHERE crossed_at IS NOT NULL
  UNION ALL
  SELECT
    experiment_id,
    participant_id,
    goal_id,
    event_day,
    0,
    CAST(n_before = 0 AS INTEGER),
    n,
    value,
    (value_after - capped_after) - (value_before - capped_before),
    capped_after * capped_after - capped_before * capped_before,
    n_after * n_after - n_before * n_before,
    capped_after * n_after - capped_before * n_before
  FROM totals
)
SELECT
  experiment_id,
  goal_id,
  variation_id,
  phase,
  device,
  DATE '1970-01-01' + CAST(entered_at // 86400000000 AS INTEGER) AS entry_day,
  DATE '1970-01-01' + CAST(event_day AS INTEGER) AS event_day,
  sum(contributions.participants) AS participants,
  sum(converters) AS converters,
  sum(conversions) AS conversions,
  sum(value) AS value,
  sum(value_excess) AS value_excess,
  sum(value_squared) AS value_squared,
  sum(conversions_squared) AS conversions_squared,
  sum(value_by_conversions) AS value_by_conversions
FROM contributions JOIN participants USING (experiment_id, participant_id)
GROUP BY ALL
ORDER BY ALL;
