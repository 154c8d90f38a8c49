import { groupBy } from '../common/lists/collections';
import { byText } from '../common/text/strings';
import { Day, dayOf, type Micros } from '../common/time/clock';
import { CROSSED, ENTERED } from './cell.entities';
import { CountingRules, counts, phaseOf } from './counting-rules';

/** An event of a visitor, with the fields that results depend on. */
export interface VisitorEvent {
  event_id: string;
  occurred_at: Micros;
  /** Arrival time; set only for events that arrived more than 72 hours late. */
  arrived_at?: Micros | null;
  /** The experiment of an exposure; null for a conversion. */
  experiment_id: number | null;
  variation_id: number | null;
  /** For an exposure, the phase that the client reported; if null, the phase at the time of the exposure applies. */
  phase?: number | null;
  /** The goal of a conversion; null for an exposure. */
  goal_id: number | null;
  /** In 1/10,000 of the goal's unit; null if the event has no value. */
  value: number | null;
  device: number;
}

/** Identifies the cell to which a contribution is added. */
export interface CellAddress {
  experiment_id: number;
  /** A goal's id, `ENTERED` or `CROSSED`. */
  goal_id: number;
  variation_id: number;
  /** Phase of the first exposure. */
  phase: number;
  device: number;
  entry_day: Day;
  event_day: Day;
}

export interface CellSums {
  participants: number;
  converters: number;
  conversions: number;
  /** Sum of values, in units of 1/10,000, including amounts above the cap. */
  value: bigint;
  /** Increase in the part of the visitor's total value that exceeds the goal's cap, in units of 1/10,000. */
  value_excess: bigint;
  /** Increase in the square of the visitor's capped total value, in units of (1/10,000)². */
  value_squared: bigint;
  /** Increase in the square of the visitor's conversion count. */
  conversions_squared: bigint;
  /** Increase in the product of the visitor's capped total value and conversion count, in units of 1/10,000. */
  value_by_conversions: bigint;
}

/** Sums that are exact integers of any size. All other sums are counts. */
export const EXACT_SUMS = [
  'value',
  'value_excess',
  'value_squared',
  'conversions_squared',
  'value_by_conversions',
] as const satisfies (keyof CellSums)[];
export const COUNTS = ['participants', 'converters', 'conversions'] as const satisfies (keyof CellSums)[];

export type Contribution = CellAddress & CellSums;

/** One visitor's contribution to the results of one experiment. */
export interface Participation {
  experimentId: number;
  /** Time of the first exposure that counts. */
  firstEventAt: Micros;
  /** Time of the last exposure or conversion that counts. */
  lastEventAt: Micros;
  contributions: Contribution[];
}

type Exposure = VisitorEvent & { experiment_id: number; variation_id: number };
type Conversion = VisitorEvent & { goal_id: number };

const isExposure = (event: VisitorEvent): event is Exposure => event.experiment_id !== null;
const isConversion = (event: VisitorEvent): event is Conversion => event.goal_id !== null;

type OrderedEvent = Pick<VisitorEvent, 'occurred_at' | 'event_id'>;

/**
 * Orders events by time, and simultaneous events by id, so every process attributes them in the same way. Simultaneous
 * events with the same id are one message that was sent under several ids of the visitor; they keep their order.
 */
export const byTime = (a: OrderedEvent, b: OrderedEvent): number =>
  a.occurred_at - b.occurred_at || byText(a.event_id, b.event_id);

/**
 * Computes a visitor's contribution to each experiment that the visitor participates in. The order of the events does
 * not matter. Each event is counted once. A conversion counts if it happened while the experiment was running, at or
 * after the first exposure, even if its goal is not attached to the experiment.
 * @param events all events of one visitor; if several have the same id, the first one counts
 * @param rules by experiment; experiments without rules have no results
 */
export function attribute(
  events: readonly VisitorEvent[],
  rules: ReadonlyMap<number, CountingRules>,
): Participation[] {
  const ordered = [...events].sort(byTime);
  const conversions = ordered.filter(isConversion);
  const exposures = groupBy(ordered.filter(isExposure), ({ experiment_id }) => experiment_id);
  return [...exposures].flatMap(([id, own]) => {
    const rule = rules.get(id);
    return rule === undefined ? [] : participations(own, conversions, rule);
  });
}

/** Returns one participation, or none if no exposure counts. */
function participations(
  all: readonly Exposure[],
  conversions: readonly Conversion[],
  rules: CountingRules,
): Participation[] {
  const exposures = all.filter((exposure) => counts(rules, exposure));
  const [first] = exposures;
  return first === undefined ? [] : [participation(first, exposures, conversions, rules)];
}

function participation(
  first: Exposure,
  exposures: readonly Exposure[],
  conversions: readonly Conversion[],
  rules: CountingRules,
): Participation {
  const counted = conversions.filter(
    (conversion) => conversion.occurred_at >= first.occurred_at && counts(rules, conversion),
  );
  const entry = {
    experiment_id: first.experiment_id,
    variation_id: first.variation_id,
    phase: phaseOf(rules, first.occurred_at, first.phase ?? null),
    device: first.device,
    entry_day: dayOf(first.occurred_at),
  };
  const crossing = exposures.find(({ variation_id }) => variation_id !== first.variation_id);
  const visits = [
    { goal_id: ENTERED, event: first },
    ...(crossing === undefined ? [] : [{ goal_id: CROSSED, event: crossing }]),
  ];
  return {
    experimentId: first.experiment_id,
    firstEventAt: first.occurred_at,
    lastEventAt: Math.max(lastOf(exposures), lastOf(counted)),
    contributions: [
      ...visits.map(({ goal_id, event }) => ({
        ...entry,
        goal_id,
        event_day: dayOf(event.occurred_at),
        ...NO_SUMS,
        participants: 1,
      })),
      ...conversionsByGoalAndDay(withoutRepeats(counted), rules.caps).map((sums) => ({ ...entry, ...sums })),
    ],
  };
}

/** A message that was sent under several ids of the visitor counts once. */
function withoutRepeats(conversions: readonly Conversion[]): readonly Conversion[] {
  const known = new Set<string>();
  const isNew = ({ event_id }: Conversion): boolean => known.size < known.add(event_id).size;
  return conversions.length < 2 ? conversions : conversions.filter(isNew);
}

const lastOf = (events: readonly VisitorEvent[]): Micros => events.at(-1)?.occurred_at ?? 0;

const NO_SUMS: CellSums = {
  participants: 0,
  converters: 0,
  conversions: 0,
  value: 0n,
  value_excess: 0n,
  value_squared: 0n,
  conversions_squared: 0n,
  value_by_conversions: 0n,
};

type DayOfGoal = CellSums & Pick<CellAddress, 'goal_id' | 'event_day'>;

/** A visitor's conversion totals up to some point in time. */
type Totals = Pick<CellSums, 'conversions' | (typeof EXACT_SUMS)[number]>;

/** The totals after one more conversion. @param cap null if the goal has no cap */
function totalsAfter(before: Totals, conversion: Conversion, cap: bigint | null): Totals {
  const conversions = before.conversions + 1;
  const value = before.value + BigInt(conversion.value ?? 0);
  const capped = cap !== null && value > cap ? cap : value;
  return {
    conversions,
    value,
    value_excess: value - capped,
    value_squared: capped * capped,
    conversions_squared: BigInt(conversions) ** 2n,
    value_by_conversions: capped * BigInt(conversions),
  };
}

/**
 * @param conversions in chronological order
 * @param caps value caps by goal
 */
function conversionsByGoalAndDay(
  conversions: readonly Conversion[],
  caps: CountingRules['caps'],
): DayOfGoal[] {
  const days = new Map<string, DayOfGoal>();
  const totals = new Map<number, Totals>();
  for (const conversion of conversions) {
    const { goal_id, occurred_at } = conversion;
    const event_day = dayOf(occurred_at);
    const key = `${goal_id}:${event_day}`;
    let day = days.get(key);
    if (day === undefined) {
      const converters = totals.has(goal_id) ? 0 : 1;
      day = { goal_id, event_day, ...NO_SUMS, converters };
      days.set(key, day);
    }
    const before = totals.get(goal_id) ?? NO_SUMS;
    const cap = caps.get(goal_id);
    const after = totalsAfter(before, conversion, cap === undefined ? null : BigInt(cap));
    totals.set(goal_id, after);
    day.conversions += 1;
    for (const sum of EXACT_SUMS) {
      day[sum] += after[sum] - before[sum];
    }
  }
  return [...days.values()];
}
