import { compareBetas } from './beta-comparison';
import { differenceInterval, upliftInterval } from './beta-intervals';
import { type BetaPosterior, PRIOR } from './beta-posterior';
import type { GoalTotals } from './input';
import type { Estimate } from './means';
import { normalCritical } from './normal';
import { compareRates } from './rate-comparison';
import { type RateCounts, rateVariance } from './rate-intervals';
import { relativeUplift } from './relative-uplift';
import type { ConversionStatistics, Warning } from './result';
import { sequentialTest } from './sequential';

/** The conversions of one variation, and what they tell of its rate. */
export interface CountedRate {
  counts: RateCounts;
  posterior: BetaPosterior;
}

type Direction = GoalTotals['direction'];
type Bayesian = NonNullable<ConversionStatistics['bayesian']>;

/**
 * Everything about the conversion rate of a variation against the original. The p-value is not adjusted yet, and the
 * chance to be best is left to whoever knows all variations. The sequential test needs a standard error above 0: rates
 * of exactly 0 and 1 have none.
 */
export function conversionStatistics(
  control: CountedRate,
  variation: CountedRate,
  alpha: number,
  direction: Direction,
): { statistics: ConversionStatistics; warnings: Warning[] } {
  const comparison = compareRates(control.counts, variation.counts, alpha);
  const { difference, standardError } = comparison;
  const before = estimate(control.counts);
  const uplift = relativeUplift(before, estimate(variation.counts), difference, normalCritical(alpha));
  const participants = control.counts.trials + variation.counts.trials;
  const statistics = {
    ...uncomparedConversions(null),
    ...comparison,
    uplift: uplift?.uplift ?? null,
    upliftStandardError: uplift?.standardError ?? null,
    upliftInterval: uplift?.interval ?? null,
    sequential: standardError > 0 ? sequentialTest(difference, standardError, participants, alpha) : null,
    bayesian: bayesianStatistics(control.posterior, variation.posterior, alpha, direction),
  };
  const warnings: Warning[] = [
    ...(comparison.test === 'fisher' ? ['SMALL_COUNTS' as const] : []),
    ...(uplift?.isUnstable === true ? ['UPLIFT_UNSTABLE' as const] : []),
  ];
  return { statistics, warnings };
}

/** The block of a variation that is not compared: everything null but the chance to be best, where there is one. */
export function uncomparedConversions(chanceToBeBest: number | null): ConversionStatistics {
  return {
    difference: null,
    standardError: null,
    interval: null,
    intervalMethod: null,
    uplift: null,
    upliftStandardError: null,
    upliftInterval: null,
    pValue: null,
    pValueAdjusted: null,
    test: null,
    sequential: null,
    bayesian: {
      prior: [PRIOR, PRIOR],
      chanceToBeatOriginal: null,
      chanceToBeBest,
      expectedLoss: null,
      differenceInterval: null,
      upliftInterval: null,
    },
  };
}

function estimate(counts: RateCounts): Estimate {
  return { value: counts.successes / counts.trials, variance: rateVariance(counts) };
}

function bayesianStatistics(
  control: BetaPosterior,
  variation: BetaPosterior,
  alpha: number,
  direction: Direction,
): Bayesian {
  const [better, worse] = direction === 'increase' ? [variation, control] : [control, variation];
  const { chance, loss } = compareBetas(better, worse);
  return {
    prior: [PRIOR, PRIOR],
    chanceToBeatOriginal: chance,
    chanceToBeBest: null,
    expectedLoss: loss,
    differenceInterval: differenceInterval(control, variation, alpha),
    upliftInterval: upliftInterval(control, variation, alpha),
  };
}
