import { conversionsIn, conversionsNeeded, daysFor } from './decision';
import { informationOf, type Effect } from './effect';
import type { Arm, ExperimentPlan, GoalTotals, Look } from './input';
import { pairFigures } from './pair';
import { isComplete, isWorthALook } from './plan';
import { type LookTime, momentsOf, plannedCriticals, PlannedTest } from './planned-boundaries';
import { fiellerInterval } from './relative-uplift';
import type { Interval, PlannedStatistics } from './result';

/** The figures for a comparison that follows a plan. */
export interface PlannedOutcome {
  statistics: PlannedStatistics;
  /** The difference at the deciding look, whose sign determines the verdict; null if no look has decided. */
  decidedDifference: number | null;
}

/** A date that is later than any other. */
const LAST_DATE = '9999-12-31';

type PlannedSize = Pick<ExperimentPlan, 'participants' | 'shares'>;

/** One look that took place. */
interface TakenLook {
  date: string;
  effect: Effect;
  critical: number;
  isLast: boolean;
}

/**
 * Replays the looks of the method `planned`. From the first day on which the minimum runtime and the minimum
 * conversions are reached, there is one look per UTC day, using only complete days of data. Each look compares z =
 * difference / `largestError` with a boundary of O'Brien-Fleming-type alpha spending. Looks that add less than 1 % of
 * the planned information are skipped. The last look takes place when at most 1 % of the planned information is
 * missing, or on the day on which the plan ends. It spends all remaining error. The first crossing decides, and later
 * looks do not change the decision.
 *
 * @param alpha the two-sided error probability; if there is a correction, this comparison's share of it.
 * @param now the effect in all data so far, which is used before the first look.
 * @param criticals computes the boundaries. It may cache them, because past days seldom change.
 */
export function plannedOutcome(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
  alpha: number,
  now: Effect | null,
  criticals: typeof plannedCriticals = plannedCriticals,
): PlannedOutcome {
  const planned = plannedInformation(plan, pair);
  const taken = takenLooks(goal, looks, pair, plan, alpha, criticals);
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
 * The planned intervals for the uplift: one for the end of each day in `looks`, and a last one for all data so far.
 * Each interval is that of the latest look that had taken place by then. Before the first look, it is the interval from
 * a hypothetical look at the data available by then.
 * @returns null if the plan was removed before it decided, because a different test applies in that case
 */
export function plannedUplifts(
  goal: Pick<GoalTotals, 'counting' | 'hasValue' | 'phases'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
  alpha: number,
  criticals: typeof plannedCriticals = plannedCriticals,
): (Interval | null)[] | null {
  const taken = takenLooks(goal, looks, pair, plan, alpha, criticals);
  const latest = taken.at(-1);
  if (plan.removedOn !== null && (latest === undefined || !isCrossed(latest))) {
    return null;
  }
  const planned = plannedInformation(plan, pair);
  const ends = [...looks, { date: LAST_DATE, phases: goal.phases }];
  return ends.map(({ date, phases }) => {
    const look = taken.findLast((each) => each.date <= date);
    return intervalsOf(
      look ?? lookNow(pairFigures(goal, phases, pair[0].id, pair[1].id).effect, planned, alpha),
    ).upliftInterval;
  });
}

/** n1·n0/(n1 + n0) for the pair's share of the planned participants. */
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
 * The looks until the day on which the plan ended. If the plan was removed, the looks end on the day before its
 * removal, because the plan did not apply for the whole of that day.
 */
const looksOf = (looks: readonly Look[], { end, removedOn }: ExperimentPlan): Look[] =>
  looks.filter(({ date }) => (end === null || date <= end) && (removedOn === null || date < removedOn));

/** The looks that took place, up to and including the one that decided or was the last. */
function takenLooks(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
  alpha: number,
  criticals: typeof plannedCriticals,
): TakenLook[] {
  const timed = timedLooks(goal, looks, pair, plan);
  const boundaries = criticals(
    timed.map(({ information, effect, isLast }) => ({ information, ...momentsOf(effect), isLast })),
    alpha,
  );
  const taken = timed.map(({ date, effect, isLast }, index) => ({
    date,
    effect,
    isLast,
    critical: boundaries[index],
  }));
  const deciding = taken.findIndex(isCrossed);
  return deciding === -1 ? taken : taken.slice(0, deciding + 1);
}

type TimedLook = Omit<TakenLook, 'critical'> & Pick<LookTime, 'information'>;

/** All looks, assuming that none of them decides. */
function timedLooks(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  looks: readonly Look[],
  pair: readonly [original: Arm, variation: Arm],
  plan: ExperimentPlan,
): TimedLook[] {
  const planned = plannedInformation(plan, pair);
  const times: TimedLook[] = [];
  for (const look of looksOf(looks, plan)) {
    const { date, phases } = look;
    const { effect, converters } = pairFigures(goal, phases, pair[0].id, pair[1].id);
    const isOpen =
      daysFor(look, pair[1].id) >= plan.minRuntimeDays &&
      conversionsIn(converters) >= conversionsNeeded(plan, converters);
    if (!isOpen || effect === null || !(effect.largestError > 0)) {
      continue;
    }
    const information = effect.information / planned;
    const isLast = isComplete(information) || date === plan.end;
    if (!isLast && !isWorthALook(information - (times.at(-1)?.information ?? 0))) {
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
  const look = { information: reached, ...momentsOf(effect), isLast: false };
  return { effect, critical: new PlannedTest(alpha).criticalAt(look) };
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
