import gammaln from '@stdlib/math-base-special-gammaln';
import { weightedGroups } from './sample-ratio';

/** How firmly the shares are believed beforehand, as that many participants would. */
const CONCENTRATION = 10_000;

/**
 * The p-value (0 to 1) of the sample-ratio test that may be looked at any number of times: the Bayes factor of the
 * multinomial against a Dirichlet mixture around the shares (Lindon, Malek, arXiv 2011.03567). Variations without
 * weight are left out; fewer than two with weight, or no participants, give 1.
 *
 * @param counts participants of each variation, whole and not negative.
 * @param weights exact shares in the same order, in any unit, not negative.
 */
export function sequentialSampleRatio(counts: readonly number[], weights: readonly number[]): number {
  const groups = weightedGroups(counts, weights);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (groups.length < 2 || total === 0) {
    return 1;
  }
  const logBayesFactor = groups.reduce(
    (sum, { count, share }) =>
      sum + logRisingFactorial(CONCENTRATION * share, count) - count * Math.log(share),
    -logRisingFactorial(CONCENTRATION, total),
  );
  return Math.min(1, Math.exp(-logBayesFactor));
}

function logRisingFactorial(start: number, steps: number): number {
  return gammaln(start + steps) - gammaln(start);
}
