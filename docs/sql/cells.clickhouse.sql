-- Recomputes results from an export, in ClickHouse 25 or later. Reads the tables `events` and `rules`, and creates
-- the tables `participants` and `cells`. Values are integers in units of 1/10,000, so all sums are exact.

CREATE OR REPLACE VIEW rule AS
SELECT
  experiment_id,
  toUnixTimestamp64Micro(final_at) AS final_at,
  -- Client times have millisecond precision, so the millisecond in which a run or phase began belongs to it.
  arrayMap(run -> (
    intDiv(toUnixTimestamp64Micro(run.started_at), 1000) * 1000,
    toUnixTimestamp64Micro(run.ended_at)
  ), runs) AS runs,
  arrayMap(began_at -> intDiv(toUnixTimestamp64Micro(began_at), 1000) * 1000, phases) AS phases,
  value_caps
FROM rules;

CREATE OR REPLACE VIEW event AS
SELECT
  event_id,
  visitor_id,
  canonical_id,
  toUnixTimestamp64Micro(linked_at) AS linked_at,
  toUnixTimestamp64Micro(occurred_at) AS at_us,
  toUnixTimestamp64Micro(arrived_at) AS arrived_at,
  experiment_id,
  variation_id,
  phase,
  goal_id,
  toInt256(ifNull(value, 0) * 10000) AS value,
  device,
  excluded_from,
  -- Sort key: if a message was sent under several ids of a visitor at the same time, the first id in this order counts.
  if(endsWith(visitor_id, ' '), concat(visitor_id, char(127)), visitor_id) AS id_order
FROM events;

-- One row for each experiment and each of its visitors.
CREATE OR REPLACE TABLE participants ENGINE = MergeTree ORDER BY (experiment_id, participant_id) AS
WITH
exposures AS (
  SELECT
    assumeNotNull(event.experiment_id) AS experiment_id,
    -- Ids that were linked after the result became final remain separate visitors.
    if(linked_at >= final_at, visitor_id, canonical_id) AS participant_id,
    canonical_id,
    assumeNotNull(variation_id) AS variation_id,
    toInt32(multiIf(
      -- 2147483647 means that the phase is unknown.
      phase BETWEEN 1 AND length(phases) OR phase = 2147483647, toInt64(assumeNotNull(phase)),
      -- The number of phases that had begun at the time of the event, but at least 1.
      arrayExists(began_at -> began_at > at_us, phases),
        greatest(1, toInt64(arrayFirstIndex(began_at -> began_at > at_us, phases)) - 1),
      greatest(1, toInt64(length(phases)))
    )) AS phase,
    device,
    at_us,
    (at_us, event_id, id_order) AS place
  FROM event JOIN rule ON rule.experiment_id = event.experiment_id
  WHERE arrayExists(run -> at_us >= run.1 AND (isNull(run.2) OR at_us < run.2), runs)
    AND (isNull(arrived_at) OR isNull(final_at) OR arrived_at < final_at)
),
by_variation AS (
  SELECT
    experiment_id,
    participant_id,
    canonical_id,
    variation_id,
    min(place) AS first_place,
    argMin((phase, device, at_us), place) AS entry
  FROM exposures
  GROUP BY experiment_id, participant_id, canonical_id, variation_id
),
excluded AS (
  SELECT DISTINCT
    rule.experiment_id AS experiment_id,
    if(linked_at >= final_at, visitor_id, canonical_id) AS participant_id
  FROM event CROSS JOIN rule
  WHERE excluded_from = 'all' OR has(splitByChar(',', ifNull(excluded_from, '')), toString(rule.experiment_id))
)
SELECT
  experiment_id,
  participant_id,
  canonical_id,
  argMin(variation_id, first_place) AS variation_id,
  argMin(entry, first_place).1 AS phase,
  argMin(entry, first_place).2 AS device,
  min(entry.3) AS entered_at,
  -- The first exposure to another variation: the second-earliest of the first exposures to each variation.
  if(count() > 1, arraySort(groupArray(entry.3))[2], NULL) AS crossed_at
FROM by_variation
WHERE (experiment_id, participant_id) NOT IN (SELECT experiment_id, participant_id FROM excluded)
GROUP BY experiment_id, participant_id, canonical_id;

-- One row for each experiment, goal (0: entered, -1: crossed over), variation, phase, device, entry day and event day.
CREATE OR REPLACE TABLE cells ENGINE = MergeTree
ORDER BY (experiment_id, goal_id, variation_id, phase, device, entry_day, event_day) AS
WITH
-- The conversions of participants. A message that was sent under two ids has two rows, numbered by `copy`.
conversions AS (
  SELECT
    participants.experiment_id AS experiment_id,
    participants.participant_id AS participant_id,
    assumeNotNull(event.goal_id) AS goal_id,
    event.at_us AS at_us,
    event.value AS value,
    row_number() OVER (
      PARTITION BY participants.experiment_id, participants.participant_id, event.event_id
      ORDER BY event.at_us, event.id_order
    ) AS copy
  FROM participants
    JOIN event ON event.canonical_id = participants.canonical_id
    JOIN rule ON rule.experiment_id = participants.experiment_id
  WHERE isNotNull(event.goal_id)
    AND event.at_us >= participants.entered_at
    AND participants.participant_id = if(event.linked_at >= rule.final_at, event.visitor_id, event.canonical_id)
    AND arrayExists(run -> event.at_us >= run.1 AND (isNull(run.2) OR event.at_us < run.2), rule.runs)
    AND (isNull(event.arrived_at) OR isNull(rule.final_at) OR event.arrived_at < rule.final_at)
),
days AS (
  SELECT
    experiment_id,
    participant_id,
    goal_id,
    intDiv(at_us, 86400000000) AS event_day,
    toInt256(count()) AS n,
    sum(value) AS value
  FROM conversions
  WHERE copy = 1
  GROUP BY experiment_id, participant_id, goal_id, event_day
),
caps AS (
  SELECT DISTINCT cap.goal_id AS goal_id, CAST(cap.value_cap * 10000 AS Nullable(Int256)) AS value_cap
  FROM rules ARRAY JOIN value_caps AS cap
),
-- The cumulative conversions and value of each participant and goal, up to and including each day.
running AS (
  SELECT
    experiment_id,
    participant_id,
    goal_id,
    event_day,
    n,
    value AS day_value,
    sum(n) OVER until_now AS n_after,
    sum(value) OVER until_now AS value_after
  FROM days
  WINDOW until_now AS (PARTITION BY experiment_id, participant_id, goal_id ORDER BY event_day)
),
-- The cumulative conversions and value before and after each day.
totals AS (
  SELECT
    experiment_id,
    participant_id,
    running.goal_id AS goal_id,
    event_day,
    n,
    day_value,
    n_after,
    n_after - n AS n_before,
    value_after,
    value_after - day_value AS value_before,
    if(value_cap < value_after, assumeNotNull(value_cap), value_after) AS capped_after,
    if(value_cap < value_before, assumeNotNull(value_cap), value_before) AS capped_before
  FROM running LEFT JOIN caps ON caps.goal_id = running.goal_id
),
contributions AS (
  SELECT experiment_id, participant_id, 0 AS goal_id, intDiv(entered_at, 86400000000) AS event_day,
    1 AS entered, 0 AS converted, toInt256(0) AS n, toInt256(0) AS value, toInt256(0) AS excess,
    toInt256(0) AS value_value, toInt256(0) AS n_n, toInt256(0) AS value_n
  FROM participants
  UNION ALL
  SELECT experiment_id, participant_id, -1, intDiv(assumeNotNull(crossed_at), 86400000000), 1, 0, 0, 0, 0, 0, 0, 0
  FROM participants
  WHERE isNotNull(crossed_at)
  UNION ALL
  SELECT
    experiment_id,
    participant_id,
    goal_id,
    event_day,
    0,
    n_before = 0,
    n,
    day_value,
    (value_after - capped_after) - (value_before - capped_before),
    capped_after * capped_after - capped_before * capped_before,
    n_after * n_after - n_before * n_before,
    capped_after * n_after - capped_before * n_before
  FROM totals
)
SELECT
  participants.experiment_id AS experiment_id,
  contributions.goal_id AS goal_id,
  participants.variation_id AS variation_id,
  participants.phase AS phase,
  participants.device AS device,
  toDate32(intDiv(participants.entered_at, 86400000000)) AS entry_day,
  toDate32(contributions.event_day) AS event_day,
  sum(entered) AS participants,
  sum(converted) AS converters,
  sum(n) AS conversions,
  sum(contributions.value) AS value,
  sum(excess) AS value_excess,
  sum(value_value) AS value_squared,
  sum(n_n) AS conversions_squared,
  sum(value_n) AS value_by_conversions
FROM contributions JOIN participants
  ON participants.experiment_id = contributions.experiment_id
    AND participants.participant_id = contributions.participant_id
GROUP BY experiment_id, goal_id, variation_id, phase, device, entry_day, event_day;
