import type { Day } from '../common/time/days';
import { ENTERED } from '../events/result-cell.entity';
import { hasRate } from '../statistics/goal-comparison';
import type { ArmTotals } from '../statistics/input';
import { Estimate, meanInterval, meanOf, scaledVariance, ValueTotals } from '../statistics/means';
import { normalCritical } from '../statistics/normal';
import { RateCounts, rateVariance, wilsonInterval } from '../statistics/rate-intervals';
import { relativeUplift } from '../statistics/relative-uplift';
import { valueStatistics } from '../statistics/value-statistics';
import type { AttachedGoal, ExperimentFacts } from './experiment-facts';
import type { GoalProgress, StandingOfVariation } from './experiment-results';
import type { DailyCellSum } from './result-cells';
import { byGoal, groupedBy, hasValues, NOTHING, SumsByGoal } from './totals';

type Variations = ExperimentFacts['variations'];
type Estimated = Pick<StandingOfVariation, 'estimate' | 'interval'>;
type Uplift = Pick<StandingOfVariation, 'uplift' | 'upliftInterval'>;

const NO_ESTIMATE: Estimated = { estimate: null, interval: null };
const NO_UPLIFT: Uplift = { uplift: null, upliftInterval: null };

/**
 * How each goal stood at the end of each day.
 * @param alpha error probability of the intervals, 0 to 1
 */
export function progressOf(
  { goals, variations }: Pick<ExperimentFacts, 'goals' | 'variations'>,
  days: readonly Day[],
  cells: readonly DailyCellSum[],
  alpha: number,
): GoalProgress[] {
  const sums = byGoal(cells);
  return goals.map((goal) => ({
    goalId: goal.id,
    days: standings(goal, variations, days, cellsOn(goal, sums), alpha),
  }));
}

/** The cells that count for a goal, by day. */
function cellsOn(goal: AttachedGoal, sums: SumsByGoal<DailyCellSum>): Map<Day, DailyCellSum[]> {
  return groupedBy([...(sums.get(ENTERED) ?? []), ...(sums.get(goal.id) ?? [])], ({ day }) => day);
}

function standings(
  goal: AttachedGoal,
  variations: Variations,
  days: readonly Day[],
  cells: ReadonlyMap<Day, readonly DailyCellSum[]>,
  alpha: number,
): GoalProgress['days'] {
  const totals = new Map(variations.map(({ id }) => [id, NOTHING]));
  let standing = variations.map(({ id }) => standingOf(goal, id, variations, totals, alpha));
  return days.map((day) => {
    const today = cells.get(day) ?? [];
    for (const cell of today) {
      totals.set(cell.variationId, add(totals.get(cell.variationId) ?? NOTHING, cell));
    }
    if (today.length > 0) {
      standing = variations.map(({ id }) => standingOf(goal, id, variations, totals, alpha));
    }
    return { day, variations: standing };
  });
}

function add(total: ArmTotals, cell: DailyCellSum): ArmTotals {
  const isEntry = cell.goalId === ENTERED;
  return {
    participants: total.participants + (isEntry ? cell.participants : 0),
    converters: total.converters + cell.converters,
    conversions: total.conversions + cell.conversions,
    value: total.value + cell.value,
    valueSquared: total.valueSquared + cell.valueSquared,
  };
}

function standingOf(
  goal: AttachedGoal,
  variationId: number,
  variations: Variations,
  totals: ReadonlyMap<number, ArmTotals>,
  alpha: number,
): StandingOfVariation {
  const own = totals.get(variationId) ?? NOTHING;
  const original = variations.find((variation) => variation.is_original);
  const control = original === undefined ? undefined : totals.get(original.id);
  const isCompared = control !== undefined && original?.id !== variationId;
  const [estimate, compare] = hasValues(goal) ? [mean, meanUplift] : [rate, rateUplift];
  return {
    variationId,
    participants: own.participants,
    ...estimate(own, alpha),
    ...(isCompared ? compare(control, own, alpha) : NO_UPLIFT),
  };
}

const ratesOf = ({ participants, converters }: ArmTotals): RateCounts => ({
  successes: converters,
  trials: participants,
});

const valuesOf = ({ participants, value, valueSquared }: ArmTotals): ValueTotals => ({
  participants,
  sum: value,
  sumOfSquares: valueSquared,
});

/** Can a mean be told? */
const hasMean = (arm: ArmTotals): boolean => arm.participants > 0 && scaledVariance(valuesOf(arm)) >= 0n;

function rate(arm: ArmTotals, alpha: number): Estimated {
  if (!hasRate(arm)) {
    return NO_ESTIMATE;
  }
  const counts = ratesOf(arm);
  return { estimate: counts.successes / counts.trials, interval: wilsonInterval(counts, alpha) };
}

const rateEstimate = (counts: RateCounts): Estimate => ({
  value: counts.successes / counts.trials,
  variance: rateVariance(counts),
});

function rateUplift(control: ArmTotals, arm: ArmTotals, alpha: number): Uplift {
  if (!hasRate(control) || !hasRate(arm)) {
    return NO_UPLIFT;
  }
  const [before, after] = [rateEstimate(ratesOf(control)), rateEstimate(ratesOf(arm))];
  const found = relativeUplift(before, after, after.value - before.value, normalCritical(alpha));
  return { uplift: found?.uplift ?? null, upliftInterval: found?.interval ?? null };
}

function mean(arm: ArmTotals, alpha: number): Estimated {
  return arm.participants > 0
    ? { estimate: meanOf(valuesOf(arm)), interval: meanInterval(valuesOf(arm), alpha) }
    : NO_ESTIMATE;
}

function meanUplift(control: ArmTotals, arm: ArmTotals, alpha: number): Uplift {
  if (!hasMean(control) || !hasMean(arm)) {
    return NO_UPLIFT;
  }
  const { uplift, upliftInterval } = valueStatistics(
    valuesOf(control),
    valuesOf(arm),
    alpha,
    'increase',
  ).statistics;
  return { uplift, upliftInterval };
}
