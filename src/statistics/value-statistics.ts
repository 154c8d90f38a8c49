import { tCritical, tTwoSided } from './distributions';
import { effectOf, meanEffect, type Effect } from './effect';
import { effectPosterior } from './gaussian-posterior';
import type { ComparisonSettings, GoalTotals } from './input';
import { meanDifference, meanOf, type ValueTotals } from './means';
import { relativeUplift, upliftOf } from './relative-uplift';
import type { Interval, ValueStatistics, Warning } from './result';
import { sequentialStatistics } from './sequential';
import type { Stratum } from './strata';

export interface WelchTest {
  /** Variation minus control, in the goal's unit. */
  difference: number;
  /** Standard error of the difference, in the goal's unit. */
  standardError: number;
  degreesOfFreedom: number;
  t: number;
  /** Two-sided p-value. */
  pValue: number;
  interval: Interval;
}

/**
 * Welch's t test of the difference between two means per participant (Welch 1947, Biometrika 34:28; R `t.test`), for an
 * alpha above 0 and below 1. Over several strata, the test uses Satterthwaite's degrees of freedom for the weighted
 * variances (1946, Biometrics Bulletin 2:110). Requires at least two participants on each side of each stratum. Some
 * sides may have no variance. Null if no side has any variance, or if the sums are impossible.
 */
export function welchTest(effect: Effect, alpha: number): WelchTest | null {
  const { difference, standardError, parts } = effect;
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  if (parts.some((part) => part.variance < 0) || variance === 0) {
    return null;
  }
  const degreesOfFreedom =
    1 / parts.reduce((sum, part) => sum + (part.variance / variance) ** 2 / part.degreesOfFreedom, 0);
  const t = difference / standardError;
  const reach = tCritical(alpha, degreesOfFreedom) * standardError;
  const interval: Interval = [difference - reach, difference + reach];
  return { difference, standardError, degreesOfFreedom, t, pValue: tTwoSided(t, degreesOfFreedom), interval };
}

type Direction = GoalTotals['direction'];
type Bayesian = NonNullable<ValueStatistics['bayesian']>;
type Settings = Pick<ComparisonSettings, 'alpha' | 'upliftPrior'> & { tuning: number };

export interface ComparedValues {
  statistics: ValueStatistics;
  /** The effect; null if there is no test. */
  effect: Effect | null;
  warnings: Warning[];
}

/**
 * The block of a variation that is not compared with the original. All fields are null except the chance to be best, if
 * there is one.
 */
export function uncomparedValues(chanceToBeBest: number | null): ValueStatistics {
  const unknown = {
    upliftPrior: null,
    chanceToBeatOriginal: null,
    expectedLoss: null,
    interval: null,
    shrunkUplift: null,
  };
  return {
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
    bayesian: chanceToBeBest === null ? null : { ...unknown, chanceToBeBest },
  };
}

/**
 * All figures for the value per participant in a variation compared with the original, in the goal's unit, over one or
 * more strata. Requires sums that do not give a negative variance, and at least one participant on each side, or two if
 * there are several strata. If a side has a single participant, or if values do not vary on any side, there is a
 * difference but no test. The p-value is not adjusted yet. `chanceToBeBest` is computed later, from all variations.
 */
export function valueStatistics(
  strata: readonly Stratum<ValueTotals>[],
  settings: Settings,
  direction: Direction,
): ComparedValues {
  if (strata.some(({ control, variation }) => Math.min(control.participants, variation.participants) < 2)) {
    const [{ control, variation }] = strata;
    const difference = meanDifference(control, variation);
    const uplift = upliftOf(difference, meanOf(control));
    const statistics = { ...uncomparedValues(null), difference, uplift };
    return { statistics, effect: null, warnings: ['INSUFFICIENT_DATA'] };
  }
  return testedValues(strata, effectOf(strata.map(meanEffect)), settings, direction);
}

function testedValues(
  strata: readonly unknown[],
  effect: Effect,
  { alpha, tuning, upliftPrior }: Settings,
  direction: Direction,
): ComparedValues {
  const { difference } = effect;
  const uplift = upliftOf(difference, effect.control.value);
  const bare = { ...uncomparedValues(null), difference, uplift };
  const test = welchTest(effect, alpha);
  if (test === null) {
    return { statistics: { ...bare, standardError: 0 }, effect: null, warnings: ['ZERO_VARIANCE'] };
  }
  const critical = tCritical(alpha, test.degreesOfFreedom);
  const relative = relativeUplift(effect.control, effect.variation, test, critical);
  const statistics: ValueStatistics = {
    ...bare,
    ...test,
    upliftStandardError: relative?.standardError ?? null,
    upliftInterval: relative?.interval ?? null,
    test: strata.length === 1 ? 'welch' : 'stratified-welch',
    sequential: sequentialStatistics(effect, alpha, tuning),
    bayesian: bayesianStatistics(effect, alpha, upliftPrior, direction),
  };
  return { statistics, effect, warnings: relative?.isUnstable === true ? ['UPLIFT_UNSTABLE'] : [] };
}

function bayesianStatistics(
  effect: Effect,
  alpha: number,
  prior: number | null,
  direction: Direction,
): Bayesian | null {
  const posterior = effectPosterior(effect, alpha, prior, direction);
  if (posterior === null) {
    return null;
  }
  const { upliftPrior, chanceToBeatOriginal, expectedLoss, interval, shrunkUplift } = posterior;
  return { upliftPrior, chanceToBeatOriginal, chanceToBeBest: null, expectedLoss, interval, shrunkUplift };
}
