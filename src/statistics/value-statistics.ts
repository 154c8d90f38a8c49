import { chanceAboveZero, credibleInterval, gaussianPosterior, lossBelowZero } from './gaussian-posterior';
import type { GoalTotals } from './input';
import { meanDifference, meanEstimate, meanOf, type ValueTotals } from './means';
import { relativeUplift, upliftOf } from './relative-uplift';
import type { ValueStatistics, Warning } from './result';
import { sequentialTest } from './sequential';
import { tCritical } from './student-t';
import { type WelchTest, welchTest } from './welch';

type Direction = GoalTotals['direction'];
type Bayesian = NonNullable<ValueStatistics['bayesian']>;

/** The block of a variation that is not compared. */
export const UNCOMPARED_VALUES: ValueStatistics = {
  difference: null,
  standardError: null,
  degreesOfFreedom: null,
  t: null,
  interval: null,
  uplift: null,
  upliftStandardError: null,
  upliftInterval: null,
  pValue: null,
  pValueAdjusted: null,
  test: null,
  sequential: null,
  bayesian: null,
};

/**
 * Everything about the value per participant of a variation against the original, in the goal's unit. Needs at least one
 * participant each, and sums that values can have. With a single participant on a side, or values that do not vary on
 * either side, there is the difference but no test. The p-value is not adjusted yet.
 */
export function valueStatistics(
  control: ValueTotals,
  variation: ValueTotals,
  alpha: number,
  direction: Direction,
): { statistics: ValueStatistics; warnings: Warning[] } {
  const difference = meanDifference(control, variation);
  const bare = { ...UNCOMPARED_VALUES, difference, uplift: upliftOf(difference, meanOf(control)) };
  if (Math.min(control.participants, variation.participants) < 2) {
    return { statistics: bare, warnings: ['INSUFFICIENT_DATA'] };
  }
  const test = welchTest(control, variation, alpha);
  if (test === null) {
    return { statistics: { ...bare, standardError: 0 }, warnings: ['ZERO_VARIANCE'] };
  }
  const critical = tCritical(alpha, test.degreesOfFreedom);
  const uplift = relativeUplift(meanEstimate(control), meanEstimate(variation), difference, critical);
  const participants = control.participants + variation.participants;
  const statistics: ValueStatistics = {
    ...bare,
    ...test,
    upliftStandardError: uplift?.standardError ?? null,
    upliftInterval: uplift?.interval ?? null,
    test: 'welch',
    sequential: sequentialTest(difference, test.standardError, participants, alpha),
    bayesian: bayesianStatistics(test, alpha, direction),
  };
  return { statistics, warnings: uplift?.isUnstable === true ? ['UPLIFT_UNSTABLE'] : [] };
}

function bayesianStatistics(
  { difference, standardError }: WelchTest,
  alpha: number,
  direction: Direction,
): Bayesian {
  const improvement = gaussianPosterior(direction === 'increase' ? difference : -difference, standardError);
  return {
    chanceToBeatOriginal: chanceAboveZero(improvement),
    expectedLoss: lossBelowZero(improvement),
    interval: credibleInterval(gaussianPosterior(difference, standardError), alpha),
  };
}
