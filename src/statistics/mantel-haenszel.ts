import { normalTwoSided } from './normal';
import type { RateCounts } from './rate-intervals';
import type { Stratum } from './strata';

/**
 * Two-sided p-value, 0 to 1, of the Mantel-Haenszel test that a conversion rate is the same in both variations within
 * every stratum, without continuity correction (Mantel, Haenszel 1959, JNCI 22:719; R `mantelhaen.test(correct =
 * FALSE)`). 1 when nobody or everybody converted. At least one trial on each side of each stratum.
 */
export function mantelHaenszel(strata: readonly Stratum<RateCounts>[]): number {
  let excess = 0;
  let variance = 0;
  for (const { control, variation } of strata) {
    const trials = control.trials + variation.trials;
    const successes = control.successes + variation.successes;
    const share = variation.trials / trials;
    excess += variation.successes - successes * share;
    variance += (successes * share * (1 - share) * (trials - successes)) / (trials - 1);
  }
  return variance > 0 ? normalTwoSided(excess / Math.sqrt(variance)) : 1;
}
