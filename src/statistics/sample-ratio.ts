import { chiSquareUpperTail } from './chi-square';
import type { SampleRatio } from './result';

/** Low, because a mismatch is looked for at every visit and means that the whole experiment is in doubt. */
const MISMATCH_THRESHOLD = 0.001;
/** Fewer expected participants than that in a variation are too few for the chi-square approximation. */
const ENOUGH_EXPECTED = 5;

/**
 * Do the participants divide over the variations as the weights say? Pearson's chi-square test (Fabijan et al. 2019,
 * KDD; Kohavi, Tang, Xu 2020, chapters 3 and 21). Variations without weight are left out. Fewer than two variations
 * with weight, or no participants, give a p-value of 1.
 *
 * @param counts participants of each variation, whole and not negative.
 * @param weights exact shares in the same order, in any unit, not negative.
 */
export function sampleRatio(counts: readonly number[], weights: readonly number[]): SampleRatio {
  const groups = weightedGroups(counts, weights);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const degreesOfFreedom = Math.max(0, groups.length - 1);
  if (degreesOfFreedom === 0 || total === 0) {
    return { chiSquare: 0, degreesOfFreedom, pValue: 1, isMismatch: false };
  }
  const expected = groups.map(({ share }) => total * share);
  const chiSquare = groups.reduce(
    (sum, { count }, index) => sum + (count - expected[index]) ** 2 / expected[index],
    0,
  );
  const pValue = chiSquareUpperTail(chiSquare, degreesOfFreedom);
  const isMismatch = pValue < MISMATCH_THRESHOLD && Math.min(...expected) >= ENOUGH_EXPECTED;
  return { chiSquare, degreesOfFreedom, pValue, isMismatch };
}

/** The variations that have weight, each with its share of all weights. */
export function weightedGroups(
  counts: readonly number[],
  weights: readonly number[],
): { count: number; share: number }[] {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return counts
    .map((count, index) => ({ count, share: weights[index] / totalWeight }))
    .filter(({ share }) => share > 0);
}
