import { groupBy } from '../common/lists/group-by';
import type { Micros } from '../common/time/clock';
import { Day, dayOf } from '../common/time/days';
import { CROSSED, ENTERED } from './result-cell.entity';

/** One thing that a visitor did, as far as results depend on it. */
export interface VisitorEvent {
  event_id: string;
  occurred_at: Micros;
  /** Of an exposure; null for a conversion. */
  experiment_id: number | null;
  variation_id: number | null;
  /** Of a conversion; null for an exposure. */
  goal_id: number | null;
  /** In 1/10,000; null without a value. */
  value: number | null;
  device: number;
}

/** The cell that a contribution belongs to. */
export interface CellAddress {
  experiment_id: number;
  /** A goal's id, `ENTERED` or `CROSSED`. */
  goal_id: number;
  variation_id: number;
  device: number;
  entry_day: Day;
  event_day: Day;
}

export interface CellSums {
  participants: number;
  converters: number;
  conversions: number;
  /** In 1/10,000. */
  value: bigint;
  /** The increase of the square of the visitor's total, in (1/10,000)². */
  value_squared: bigint;
}

export type Contribution = CellAddress & CellSums;

/** What one visitor adds to the results of one experiment. */
export interface Participation {
  experimentId: number;
  /** The first exposure. */
  firstEventAt: Micros;
  /** The last exposure or counted conversion. */
  lastEventAt: Micros;
  contributions: Contribution[];
}

type Exposure = VisitorEvent & { experiment_id: number; variation_id: number };
type Conversion = VisitorEvent & { goal_id: number };

const isExposure = (event: VisitorEvent): event is Exposure => event.experiment_id !== null;
const isConversion = (event: VisitorEvent): event is Conversion => event.goal_id !== null;

/** Events at the same moment have an order too, so that every process attributes alike. */
const byTime = (a: VisitorEvent, b: VisitorEvent): number =>
  a.occurred_at - b.occurred_at || (a.event_id < b.event_id ? -1 : 1);

/**
 * What a visitor adds to the results of each experiment it takes part in. The order of the events given does not
 * matter; each is counted once, whether or not its goal is attached to the experiment.
 * @param events all events of one visitor, without repeats
 */
export function attribute(events: readonly VisitorEvent[]): Participation[] {
  const ordered = [...events].sort(byTime);
  const conversions = ordered.filter(isConversion);
  const exposures = groupBy(ordered.filter(isExposure), ({ experiment_id }) => experiment_id);
  return [...exposures.values()].map((own) => participation(own, conversions));
}

function participation(exposures: readonly Exposure[], conversions: readonly Conversion[]): Participation {
  const [first] = exposures;
  const counted = conversions.filter(({ occurred_at }) => occurred_at >= first.occurred_at);
  const entry = {
    experiment_id: first.experiment_id,
    variation_id: first.variation_id,
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
        ...ONE_VISITOR,
      })),
      ...conversionsByGoalAndDay(counted).map((sums) => ({ ...entry, ...sums })),
    ],
  };
}

const lastOf = (events: readonly VisitorEvent[]): Micros => events.at(-1)?.occurred_at ?? 0;

const ONE_VISITOR: CellSums = {
  participants: 1,
  converters: 0,
  conversions: 0,
  value: 0n,
  value_squared: 0n,
};

type DayOfGoal = CellSums & Pick<CellAddress, 'goal_id' | 'event_day'>;

/** @param conversions in the order of time */
function conversionsByGoalAndDay(conversions: readonly Conversion[]): DayOfGoal[] {
  const days = new Map<string, DayOfGoal>();
  const totals = new Map<number, bigint>();
  for (const { goal_id, occurred_at, value } of conversions) {
    const event_day = dayOf(occurred_at);
    const key = `${goal_id}:${event_day}`;
    let day = days.get(key);
    if (day === undefined) {
      const converters = totals.has(goal_id) ? 0 : 1;
      day = { goal_id, event_day, ...ONE_VISITOR, participants: 0, converters };
      days.set(key, day);
    }
    const before = totals.get(goal_id) ?? 0n;
    const after = before + BigInt(value ?? 0);
    totals.set(goal_id, after);
    day.conversions += 1;
    day.value += after - before;
    day.value_squared += after * after - before * before;
  }
  return [...days.values()];
}
