import { conversionsIn, conversionsNeeded } from './decision';
import { informationOf, type Effect } from './effect';
import { GroupSequentialTest, obrienFlemingSpending } from './group-sequential';
import type { Arm, ExperimentPlan, GoalTotals, Look } from './input';
import { standingOf } from './pair';
import { CLOSEST_LOOKS } from './plan';
import { fiellerInterval } from './relative-uplift';
import type { Interval, PlannedStatistics } from './result';

/** When a look of a plan takes place. */
interface LookTime {
  /** Fraction of the planned information. */
  information: number;
  /** The last look spends all remaining error. */
  isLast: boolean;
}

/**
 * The critical values of a plan's looks. Each one is computed on first use, which takes about a millisecond. For a
 * given alpha, they only depend on the times of the looks, so goals with the same looks can share them.
 */
export class PlannedBoundaries {
  private readonly test = new GroupSequentialTest();
  private readonly known: number[] = [];
  private spent = 0;

  /** @param alpha two-sided error probability; with a correction, this comparison's share of it */
  constructor(
    private readonly times: readonly LookTime[],
    private readonly alpha: number,
  ) {}

  /** The critical value of |z| at a look, counted from 0; Infinity if there is no error to spend. */
  criticalAt(look: number): number {
    for (const time of this.times.slice(this.known.length, look + 1)) {
      this.known.push(this.next(time));
    }
    return this.known[look];
  }

  private next({ information, isLast }: LookTime): number {
    const target = isLast ? this.alpha : obrienFlemingSpending(information, this.alpha);
    const critical = this.test.spend(information, target - this.spent);
    this.spent = critical === Infinity ? this.spent : target;
    return critical;
  }
}

/** Returns cached boundaries, or computes new ones. */
export type BoundariesOf = (times: readonly LookTime[], alpha: number) => PlannedBoundaries;

export const newBoundaries: BoundariesOf = (times, alpha) => new PlannedBoundaries(times, alpha);

/** The figures of a comparison that follows a plan. */
export interface PlannedStanding {
  statistics: PlannedStatistics;
  /** The difference at the deciding look, whose sign determines the verdict; null if no look has decided. */
  decidedDifference: number | null;
}

/** A date that is later than any other. */
const LAST_DATE = '9999-12-31';

type PlannedSize = Pick<ExperimentPlan, 'participants' | 'shares'>;

/** One look that took place. */
export interface TakenLook {
  date: string;
  effect: Effect;
  critical: number;
  isLast: boolean;
}

/**
 * Replays the looks of the method `planned`. From the first day that meets the minimum runtime and conversions, there
 * is one look per UTC day, on the data of whole days. Each look compares z = difference / `largestError` with a
 * boundary of O'Brien-Fleming-type alpha spending. Looks with less than 1 % of new information are skipped. The last
 * look is on the day on which the planned information is reached or the plan ends, and spends all remaining error. The
 * first crossing decides, and later looks do not change the decision.
 *
 * @param alpha two-sided error probability; with a correction, this comparison's share of it.
 * @param now the effect of all data so far, used before the first look.
 * @param take returns the looks that took place. A version that caches them is allowed, because past days seldom
 * change.
 */
export function plannedStanding(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
  alpha: number,
  now: Effect | null,
  take: typeof takenLooks = takenLooks,
): PlannedStanding {
  const planned = plannedInformation(plan, pair);
  const taken = take(goal, looks, pair, plan, alpha);
  const latest = taken.at(-1);
  const isDecided = latest !== undefined && isCrossed(latest);
  const shown = latest ?? lookNow(now, planned, alpha);
  return {
    decidedDifference: isDecided ? latest.effect.difference : null,
    statistics: {
      ...intervalsOf(shown),
      informationFraction: ((now ?? latest?.effect)?.information ?? 0) / planned,
      looks: taken.length,
      lookedOn: latest?.date ?? null,
      isOver: latest?.isLast === true || isDecided || plan.removedOn !== null || isPast(looks, plan),
      decidedOn: isDecided ? latest.date : null,
    },
  };
}

/**
 * The planned intervals of the uplift: one for the end of each day in `looks`, and a last one for all data so far. Each
 * one is the interval of the latest look that had taken place by then. Before the first look, it is the interval of a
 * hypothetical look at the data available by then.
 * @returns null if the plan was removed before it decided, because another test applies then
 */
export function plannedUplifts(
  goal: Pick<GoalTotals, 'counting' | 'hasValue' | 'phases'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
  alpha: number,
  take: typeof takenLooks = takenLooks,
): (Interval | null)[] | null {
  const taken = take(goal, looks, pair, plan, alpha);
  const latest = taken.at(-1);
  if (plan.removedOn !== null && (latest === undefined || !isCrossed(latest))) {
    return null;
  }
  const planned = plannedInformation(plan, pair);
  const ends = [...looks, { date: LAST_DATE, phases: goal.phases }];
  return ends.map(({ date, phases }) => {
    const look = taken.findLast((each) => each.date <= date);
    return intervalsOf(
      look ?? lookNow(standingOf(goal, phases, pair[0].id, pair[1].id).effect, planned, alpha),
    ).upliftInterval;
  });
}

/** n1·n0/(n1 + n0) of the pair's share of the planned participants. */
function plannedInformation(plan: PlannedSize, [original, variation]: readonly [Arm, Arm]): number {
  return informationOf({ control: sizeOf(plan, original.id), variation: sizeOf(plan, variation.id) });
}

/**
 * The pair's share of the planned participants; null if one of the two variations had no share when the plan was made.
 */
export function plannedParticipants(
  plan: PlannedSize,
  [original, variation]: readonly [originalId: number, variationId: number],
): number | null {
  const [control, compared] = [sizeOf(plan, original), sizeOf(plan, variation)];
  return control > 0 && compared > 0 ? control + compared : null;
}

function sizeOf({ participants, shares }: PlannedSize, id: number): number {
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  return (participants * (shares.get(id) ?? 0)) / total;
}

/** Whether the planned end has passed, even if there was no look on that day. */
const isPast = (looks: readonly Look[], { end }: ExperimentPlan): boolean =>
  end !== null && looks.some(({ date }) => date >= end);

/**
 * The looks until the day on which the plan ended, or the day before it was removed, because the plan did not apply for
 * the whole day of its removal.
 */
const looksOf = (looks: readonly Look[], { end, removedOn }: ExperimentPlan): Look[] =>
  looks.filter(({ date }) => (end === null || date <= end) && (removedOn === null || date < removedOn));

/**
 * The looks that took place, up to and including the one that decided or was the last. Computing new boundaries takes
 * about a millisecond for each look.
 */
export function takenLooks(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
  alpha: number,
  boundariesOf: BoundariesOf = newBoundaries,
): TakenLook[] {
  const times = timedLooks(goal, looks, pair, plan);
  const boundaries = boundariesOf(
    times.map(({ information, isLast }) => ({ information, isLast })),
    alpha,
  );
  const taken: TakenLook[] = [];
  for (const [index, { date, effect, isLast }] of times.entries()) {
    const look = { date, effect, isLast, critical: boundaries.criticalAt(index) };
    taken.push(look);
    if (isCrossed(look)) {
      break;
    }
  }
  return taken;
}

type TimedLook = LookTime & Pick<TakenLook, 'date' | 'effect'>;

/** All looks, assuming that none of them decides. */
function timedLooks(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
): TimedLook[] {
  const planned = plannedInformation(plan, pair);
  const times: TimedLook[] = [];
  for (const { date, daysRunning, phases } of looksOf(looks, plan)) {
    const { effect, converters } = standingOf(goal, phases, pair[0].id, pair[1].id);
    const isOpen =
      daysRunning >= plan.minRuntimeDays && conversionsIn(converters) >= conversionsNeeded(plan, converters);
    if (!isOpen || effect === null || !(effect.largestError > 0)) {
      continue;
    }
    const information = effect.information / planned;
    const isLast = information >= 1 || date === plan.end;
    if (!isLast && information - (times.at(-1)?.information ?? 0) < CLOSEST_LOOKS) {
      continue;
    }
    times.push({ date, effect, information, isLast });
    if (isLast) {
      break;
    }
  }
  return times;
}

const isCrossed = ({ effect, critical }: TakenLook): boolean =>
  Math.abs(effect.difference) >= critical * effect.largestError;

/** A hypothetical first look at the given data. */
function lookNow(
  effect: Effect | null,
  planned: number,
  alpha: number,
): Pick<TakenLook, 'effect' | 'critical'> | null {
  if (effect === null || !(effect.largestError > 0)) {
    return null;
  }
  const reached = effect.information / planned;
  const critical = new GroupSequentialTest().spend(reached, obrienFlemingSpending(reached, alpha));
  return { effect, critical };
}

function intervalsOf(
  look: Pick<TakenLook, 'effect' | 'critical'> | null | undefined,
): Pick<PlannedStatistics, 'interval' | 'upliftInterval' | 'criticalValue'> {
  if (!look || look.critical === Infinity) {
    return { interval: null, upliftInterval: null, criticalValue: null };
  }
  const { effect, critical } = look;
  const reach = critical * effect.largestError;
  const interval: Interval = [effect.difference - reach, effect.difference + reach];
  return { interval, upliftInterval: fiellerInterval(effect, critical), criticalValue: critical };
}
