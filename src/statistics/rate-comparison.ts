import { fisherExact } from './fisher-exact';
import { normalCritical, normalTwoSided } from './normal';
import { type RateCounts, newcombeInterval, rateVariance, waldInterval } from './rate-intervals';
import type { Effect } from './effect';
import { mantelHaenszel } from './mantel-haenszel';
import type { Interval, RateTest } from './result';
import type { Stratum } from './strata';

/** Cochran's rule: the normal approximation needs at least this expected count in every cell. */
const ENOUGH_EXPECTED = 5;

export interface RateComparison {
  /** Variation minus control, as a fraction. */
  difference: number;
  /** Of the difference, not pooled; 0 when nobody or everybody converted on both sides. */
  standardError: number;
  interval: Interval;
  intervalMethod: 'wald' | 'newcombe';
  /** Two-sided. */
  pValue: number;
  test: RateTest;
}

/**
 * The fixed-horizon comparison of two conversion rates: the pooled z test without continuity correction and the Wald
 * interval, or Fisher's exact test and Newcombe's interval when fewer than 5 are expected in a cell of the table
 * (R `prop.test(correct = FALSE)` and `fisher.test`; Cochran 1954, Biometrics 10:417). At least one trial each.
 */
export function compareRates(control: RateCounts, variation: RateCounts, alpha: number): RateComparison {
  const difference = variation.successes / variation.trials - control.successes / control.trials;
  const standardError = Math.sqrt(rateVariance(control) + rateVariance(variation));
  const common = { difference, standardError };
  if (hasSmallCell(control, variation)) {
    const pValue = fisherExact(control.successes, control.trials, variation.successes, variation.trials);
    const interval = newcombeInterval(control, variation, alpha);
    return { ...common, interval, intervalMethod: 'newcombe', pValue, test: 'fisher' };
  }
  const pValue = normalTwoSided(difference / pooledStandardError(control, variation));
  const interval = waldInterval(control, variation, alpha);
  return { ...common, interval, intervalMethod: 'wald', pValue, test: 'z-pooled' };
}

/**
 * The fixed-horizon comparison of two conversion rates over several strata: the Mantel-Haenszel test and the normal
 * interval of the weighted difference, not clipped.
 */
export function compareStratifiedRates(
  strata: readonly Stratum<RateCounts>[],
  { difference, standardError }: Effect,
  alpha: number,
): RateComparison {
  const reach = normalCritical(alpha) * standardError;
  return {
    difference,
    standardError,
    interval: [difference - reach, difference + reach],
    intervalMethod: 'wald',
    pValue: mantelHaenszel(strata),
    test: 'mantel-haenszel',
  };
}

/** Whether the smallest expected count is below 5. Without a division, so that exactly 5 is not. */
function hasSmallCell(control: RateCounts, variation: RateCounts): boolean {
  const total = control.trials + variation.trials;
  const successes = control.successes + variation.successes;
  const smallerGroup = Math.min(control.trials, variation.trials);
  const smallerOutcome = Math.min(successes, total - successes);
  return smallerGroup * smallerOutcome < ENOUGH_EXPECTED * total;
}

function pooledStandardError(control: RateCounts, variation: RateCounts): number {
  const pooled = (control.successes + variation.successes) / (control.trials + variation.trials);
  return Math.sqrt(pooled * (1 - pooled) * (1 / control.trials + 1 / variation.trials));
}
