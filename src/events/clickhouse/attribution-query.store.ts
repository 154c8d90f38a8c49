import { DAY_MICROS, type Micros, wholeMillisecond } from '../../common/time/clock';
import { CROSSED, ENTERED } from '../cell.entities';
import { CountingRules, startOf, UNKNOWN_PHASE_NUMBER } from '../counting-rules';
import { integer, integers, quoted, rowsOf } from './clickhouse';

/*
 * Attribution in ClickHouse, with the same result as `attribute` in ../attribution.ts for many visitors. A property test
 * compares the two. Times are in microseconds. In ids, phases and arrival times, 0 means "none".
 */

/** The counting rules of an experiment. */
export interface ScopedRules {
  experimentId: number;
  projectId: number;
  rules: CountingRules;
  /** Counts participants after this id; null = from the first. */
  after: string | null;
  /** Counts participants up to this id; null = all. */
  until: string | null;
}

/** A visitor id that is linked to a canonical id. */
export interface ScopedLink {
  projectId: number;
  visitorId: string;
  canonicalId: string;
  linkedAt: Micros;
}

/** An exclusion in force. */
export interface ScopedExclusion {
  projectId: number;
  visitorId: string;
  /** Null = all experiments. */
  experimentId: number | null;
}

/** Selects the events to count, and links their visitors' ids. */
export interface Scope {
  /** Condition on `project_id` and `visitor_id`. It must select all ids of each visitor. */
  visitors: string;
  /** Condition on `batch_id`: the batches whose events count. */
  batches: string;
  /** All links that apply to these visitors. */
  links: readonly ScopedLink[];
}

export interface CellScope extends Scope {
  rules: readonly ScopedRules[];
  exclusions: readonly ScopedExclusion[];
}

/** A row of `cellsQuery`. Exact sums are decimal strings. */
export interface CellRow {
  experiment_id: number;
  goal_id: number;
  variation_id: number;
  phase: number;
  device: number;
  entry_day: number;
  event_day: number;
  participants: number;
  converters: number;
  conversions: number;
  value: string;
  value_excess: string;
  value_squared: string;
  conversions_squared: string;
  value_by_conversions: string;
  /** Time of the participants' first exposure. */
  first_at: number;
  /** Time of the participants' last event that counts in the experiment. */
  last_at: number;
}

/** A row of `seenQuery`. */
export interface SeenRow {
  experiment_id: number;
  project_id: number;
  first_at: number;
  last_at: number;
}

const FOREVER = 2n ** 63n - 1n;
const RULES =
  'experiment_id UInt32, project_id UInt32, starts Array(Int64), ends Array(Int64), final_at Int64, phases Array(Int64), capped Array(UInt32), caps Array(Int64), after_id Nullable(String), up_to Nullable(String)';
const LINKS = 'project_id UInt32, visitor_id String, canonical_id String, linked_at Int64';
const EXCLUDED = 'project_id UInt32, visitor_id String, experiment_id UInt32';

function rulesRow({ experimentId, projectId, rules, after, until }: ScopedRules): string[] {
  const ends = rules.runs.map(({ endedAt }) => integer(endedAt ?? FOREVER));
  return [
    integer(experimentId),
    integer(projectId),
    integers(rules.runs.map(startOf)),
    `[${ends.join(',')}]`,
    integer(rules.finalAt ?? 0),
    integers(rules.phases.map(wholeMillisecond)),
    integers([...rules.caps.keys()]),
    integers([...rules.caps.values()]),
    after === null ? 'NULL' : quoted(after),
    until === null ? 'NULL' : quoted(until),
  ];
}

const linkRow = ({ projectId, visitorId, canonicalId, linkedAt }: ScopedLink): string[] => [
  integer(projectId),
  quoted(visitorId),
  quoted(canonicalId),
  integer(linkedAt),
];

const exclusionRow = ({ projectId, visitorId, experimentId }: ScopedExclusion): string[] => [
  integer(projectId),
  quoted(visitorId),
  integer(experimentId ?? 0),
];

/** Each event once, from the first batch that contains it, with its visitor's canonical id. */
const knownEvents = ({ visitors, batches, links }: Scope): string => `
  links AS (SELECT * FROM ${rowsOf(LINKS, links.map(linkRow))}),
  kept AS (
    SELECT project_id, visitor_id, event_id, occurred_at, arrived_at, experiment_id, variation_id, phase, goal_id,
           ifNull(value, 0) AS value, device
      FROM events
     WHERE (${visitors}) AND (${batches})
     ORDER BY project_id, visitor_id, event_id, batch_id
     LIMIT 1 BY project_id, visitor_id, event_id
  ),
  known AS (
    SELECT k.project_id AS project_id, k.visitor_id AS visitor_id, k.event_id AS event_id,
           k.occurred_at AS occurred_at, k.arrived_at AS arrived_at, k.experiment_id AS experiment_id,
           k.variation_id AS variation_id, k.phase AS phase, k.goal_id AS goal_id, k.value AS value,
           k.device AS device, l.linked_at AS linked_at,
           if(l.canonical_id = '', k.visitor_id, l.canonical_id) AS canonical_id
      FROM kept AS k LEFT JOIN links AS l ON l.project_id = k.project_id AND l.visitor_id = k.visitor_id
  )`;

/**
 * The participant that an event belongs to. An id that was linked when the result was already final remains a separate
 * participant.
 */
const participant = (event: string): string =>
  `if(final_at > 0 AND ${event}.linked_at >= final_at, ${event}.visitor_id, canonical_id)`;

/** Whether the event counts under the rules. */
const counts = (event: string): string =>
  `arrayExists((began, ended) -> ${event}.occurred_at >= began AND ${event}.occurred_at < ended, starts, ends)
         AND (final_at = 0 OR ${event}.arrived_at = 0 OR ${event}.arrived_at < final_at)`;

/** The phase of the first exposure, like `phaseOf`. */
const PHASE = `if(first.phase BETWEEN 1 AND length(phases) OR first.phase = ${integer(UNKNOWN_PHASE_NUMBER)}, toInt64(first.phase),
             greatest(1, toInt64(if(next_phase = 0, length(phases), next_phase - 1))))`;

/**
 * Computes the result cells of a scope. Reads events once and then keeps each visitor's events in arrays, because a
 * join of events with participants took a hundred times as long in some measurements.
 * @returns a statement whose rows are `CellRow`s
 */
export function cellsQuery(scope: CellScope): string {
  return `WITH
  rules AS (SELECT * FROM ${rowsOf(RULES, scope.rules.map(rulesRow))}),${knownEvents(scope)},
  ${VISITORS},
  ${entries(scope.exclusions)},
  ${CONVERSIONS}
${CELLS}`;
}

const EXPOSURE =
  'Tuple(occurred_at Int64, event_id String, visitor_id String, experiment_id UInt32, variation_id UInt32, phase Int32, device UInt8, arrived_at Int64, linked_at Int64)';
const CONVERSION =
  'Tuple(occurred_at Int64, visitor_id String, event_id String, goal_id UInt32, value Int64, arrived_at Int64, linked_at Int64)';

/**
 * Each visitor in each experiment, with the exposures that count in the experiment and with all of the visitor's
 * conversions.
 */
const VISITORS = `visitors AS (
    SELECT canonical_id, project_id,
           groupArrayIf(CAST(tuple(occurred_at, event_id, visitor_id, experiment_id, variation_id, phase, device, arrived_at,
                                   linked_at), '${EXPOSURE}'), experiment_id > 0) AS exposures,
           groupArrayIf(CAST(tuple(occurred_at, visitor_id, event_id, goal_id, value, arrived_at, linked_at),
                             '${CONVERSION}'), goal_id > 0) AS conversions
      FROM known GROUP BY project_id, canonical_id HAVING notEmpty(exposures)
  ),
  exposed AS (
    SELECT v.project_id AS project_id, v.canonical_id AS canonical_id, v.conversions AS conversions, r.*,
           arrayFilter(e -> e.experiment_id = r.experiment_id AND ${counts('e')}, v.exposures) AS exposures
      FROM (SELECT *, arrayJoin(arrayDistinct(tupleElement(exposures, 'experiment_id'))) AS in_experiment
              FROM visitors) AS v
     INNER JOIN (SELECT * EXCEPT project_id FROM rules) AS r ON r.experiment_id = v.in_experiment
  )`;

/**
 * The first exposure of each participant, and the participant's conversions from then on. A message that was sent under
 * several ids counts once.
 */
const entries = (exclusions: readonly ScopedExclusion[]): string => `participants AS (
    SELECT *, arrayJoin(arrayDistinct(arrayMap(e -> ${participant('e')}, exposures))) AS participant
      FROM exposed
     WHERE (isNull(after_id) OR participant > assumeNotNull(after_id))
       AND (isNull(up_to) OR participant <= assumeNotNull(up_to))${withoutExcluded(exclusions)}
  ),
  openings AS (
    SELECT *, arraySort(arrayFilter(e -> ${participant('e')} = participant, exposures)) AS seen FROM participants
  ),
  firsts AS (
    SELECT *, seen[1] AS first, first.occurred_at AS entered_at FROM openings
  ),
  entries AS (
    SELECT *, arrayFirstIndex(e -> e.variation_id != first.variation_id, seen) AS crossing,
           arraySort(arrayFilter(c -> c.occurred_at >= entered_at AND ${participant('c')} = participant
                                      AND ${counts('c')}, conversions)) AS sent,
           arrayFirstIndex(began -> began > first.occurred_at, phases) AS next_phase
      FROM firsts
  ),
  made AS (
    SELECT experiment_id, capped, caps, entered_at, crossing, seen[crossing].occurred_at AS crossed_at,
           tuple(first.variation_id, ${PHASE}, first.device, intDiv(entered_at, ${DAY_MICROS})) AS entry,
           greatest(seen[-1].occurred_at, sent[-1].occurred_at) AS last_at,
           arraySort(c -> tuple(c.goal_id, c.occurred_at),
                     arrayFilter((c, repeat) -> repeat = 1, sent, arrayEnumerateUniq(tupleElement(sent, 'event_id')))) AS made
      FROM entries
  )`;

/** A visitor is excluded if any of its ids is excluded. */
const withoutExcluded = (exclusions: readonly ScopedExclusion[]): string =>
  exclusions.length === 0
    ? ''
    : `
       AND (project_id, participant, experiment_id) NOT IN (
         SELECT x.project_id, if(r.final_at > 0 AND x.linked_at >= r.final_at, x.visitor_id, x.canonical_id), r.experiment_id
           FROM (SELECT o.project_id AS project_id, o.visitor_id AS visitor_id, o.experiment_id AS experiment_id,
                        l.linked_at AS linked_at, if(l.canonical_id = '', o.visitor_id, l.canonical_id) AS canonical_id
                   FROM ${rowsOf(EXCLUDED, exclusions.map(exclusionRow))} AS o
                   LEFT JOIN links AS l ON l.project_id = o.project_id AND l.visitor_id = o.visitor_id) AS x
          INNER JOIN rules AS r ON r.project_id = x.project_id
          WHERE x.experiment_id = 0 OR x.experiment_id = r.experiment_id)`;

const NOTHING = 'toInt256(0), toInt256(0), toInt256(0), toInt256(0)';

/**
 * Conversion totals by participant, goal and day: the number and the capped value up to the end of the day (`m`, `w`),
 * and up to the end of the previous day (`n`, `v`). `ends` has the index of the last conversion for each goal and day.
 */
const CONVERSIONS = `sums AS (
    SELECT experiment_id, capped, caps, entry, entered_at, last_at, crossing, crossed_at,
           arrayMap(c -> c.goal_id, made) AS goals, arrayMap(c -> intDiv(c.occurred_at, ${DAY_MICROS}), made) AS days,
           arrayConcat([toInt256(0)], arrayCumSum(arrayMap(c -> toInt256(c.value), made))) AS sums
      FROM made
  ),
  ended AS (
    SELECT *, arrayFilter((i, goal, day, next_goal, next_day) -> goal != next_goal OR day != next_day,
                          arrayEnumerate(goals), goals, days, arrayShiftLeft(goals, 1), arrayShiftLeft(days, 1)) AS ends
      FROM sums
  ),
  started AS (SELECT *, arrayMap(i -> indexOf(goals, goals[i]) - 1, ends) AS offsets FROM ended),
  happened AS (
    SELECT experiment_id, entry, entered_at, last_at, capped, caps,
           arrayJoin(arrayConcat(
             [tuple(toInt64(${ENTERED}), tupleElement(entry, 4), 1, ${NOTHING})],
             if(crossing > 0, [tuple(toInt64(${CROSSED}), intDiv(crossed_at, ${DAY_MICROS}), 1, ${NOTHING})], []),
             arrayMap((start, before, end) -> tuple(toInt64(goals[end]), days[end], 0,
                        toInt256(greatest(start, before) - start), toInt256(end - start),
                        sums[greatest(start, before) + 1] - sums[start + 1], sums[end + 1] - sums[start + 1]),
                      offsets, arrayShiftRight(ends, 1), ends))) AS each
      FROM started
  ),
  totals AS (
    SELECT experiment_id, entry, entered_at, last_at, tupleElement(each, 1) AS goal_id, tupleElement(each, 2) AS event_day,
           toInt64(tupleElement(each, 3)) AS participants, tupleElement(each, 4) AS n, tupleElement(each, 5) AS m,
           tupleElement(each, 6) AS value_before, tupleElement(each, 7) AS value_after, indexOf(capped, goal_id) AS cap,
           if(cap > 0, toInt256(caps[cap]), greatest(value_before, value_after)) AS most
      FROM happened
  ),
  changes AS (SELECT *, least(value_before, most) AS v, least(value_after, most) AS w FROM totals)`;

const CELLS = `SELECT experiment_id, goal_id, tupleElement(entry, 1) AS variation_id, tupleElement(entry, 2) AS phase,
       tupleElement(entry, 3) AS device, tupleElement(entry, 4) AS entry_day, event_day,
       sum(each.participants) AS participants, sum(toInt64(each.participants = 0 AND n = 0)) AS converters,
       toInt64(sum(m - n)) AS conversions, toString(sum(value_after - value_before)) AS value,
       toString(sum((value_after - w) - (value_before - v))) AS value_excess,
       toString(sum(w * w - v * v)) AS value_squared, toString(sum(m * m - n * n)) AS conversions_squared,
       toString(sum(w * m - v * n)) AS value_by_conversions,
       min(entered_at) AS first_at, max(each.last_at) AS last_at
  FROM changes AS each
 GROUP BY experiment_id, goal_id, entry, event_day
 ORDER BY experiment_id, goal_id, entry, event_day`;

/**
 * The time span of each experiment: from its visitors' first exposure to their last event, including events that do not
 * count.
 * @returns a statement whose rows are `SeenRow`s
 */
export const seenQuery = (scope: Scope): string => `WITH${knownEvents(scope)}
SELECT experiment_id, any(project_id) AS project_id, min(first_at) AS first_at, max(last_at) AS last_at
  FROM (SELECT project_id, canonical_id, minMap([experiment_id], [occurred_at]) AS firsts, max(occurred_at) AS last_at
          FROM known GROUP BY project_id, canonical_id)
 ARRAY JOIN tupleElement(firsts, 1) AS experiment_id, tupleElement(firsts, 2) AS first_at
 WHERE experiment_id > 0 GROUP BY experiment_id ORDER BY experiment_id`;
