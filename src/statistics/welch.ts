import { tCritical, tTwoSided } from './distributions';
import type { Effect } from './effect';
import type { Interval } from './result';

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
 * Welch's t test of a mean per participant (Welch 1947, Biometrika 34:28; R `t.test`), for 0 < alpha < 1; over several
 * strata with Satterthwaite's degrees of freedom of the weighted variances (1946, Biometrics Bulletin 2:110). At least
 * two participants on each side of each stratum. Some sides may have no variance; null if none has, or if the sums are
 * impossible.
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
