import { meanDifference, meanEstimate, type ValueTotals } from './means';
import type { Interval } from './result';
import { tCritical, tTwoSided } from './student-t';

export interface WelchTest {
  /** Variation minus control, in the goal's unit. */
  difference: number;
  /** Of the difference, in the goal's unit. */
  standardError: number;
  degreesOfFreedom: number;
  t: number;
  /** Two-sided. */
  pValue: number;
  interval: Interval;
}

/**
 * Welch's t test of the mean per participant (Welch 1947, Biometrika 34:28; R `t.test`), for 0 < alpha < 1 and at
 * least two participants each. One side may have no variance, then the degrees of freedom are those of the other; null
 * when neither has, or when the sums are such as no values can have.
 */
export function welchTest(control: ValueTotals, variation: ValueTotals, alpha: number): WelchTest | null {
  const variance0 = meanEstimate(control).variance;
  const variance1 = meanEstimate(variation).variance;
  if (variance0 < 0 || variance1 < 0 || variance0 + variance1 === 0) {
    return null;
  }
  const difference = meanDifference(control, variation);
  const standardError = Math.sqrt(variance0 + variance1);
  const share0 = variance0 / (variance0 + variance1);
  const share1 = variance1 / (variance0 + variance1);
  const degreesOfFreedom =
    1 / (share0 ** 2 / (control.participants - 1) + share1 ** 2 / (variation.participants - 1));
  const t = difference / standardError;
  const reach = tCritical(alpha, degreesOfFreedom) * standardError;
  const interval: Interval = [difference - reach, difference + reach];
  return { difference, standardError, degreesOfFreedom, t, pValue: tTwoSided(t, degreesOfFreedom), interval };
}
