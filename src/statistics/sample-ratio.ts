import { chiSquareUpperTail } from './chi-square';
import type { SampleRatio } from './result';

/** Significance level of the SRM test. Low, because it is tested at every look and invalidates the whole experiment. */
const MISMATCH_THRESHOLD = 0.001;
/** If a variation has fewer expected participants, the chi-square approximation is not reliable. */
const ENOUGH_EXPECTED = 5;

/**
 * Whether the participants of the variations match the weights, by Pearson's chi-square test (Fabijan et al. 2019,
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

/**
 * Whether there are enough participants to detect a mismatch: all in the variation with the smallest share would be
 * one.
 */
export function canDetectMismatch(participants: number, weights: readonly number[]): boolean {
  const smallest = weights.indexOf(Math.min(...weights.filter((weight) => weight > 0)));
  return sampleRatio(
    weights.map((_, index) => (index === smallest ? participants : 0)),
    weights,
  ).isMismatch;
}

/** The participants of one phase, and its published shares. */
export interface PhaseCounts {
  /** Participants of each variation, whole and not negative. */
  counts: readonly number[];
  /** Exact shares in the same order, in any unit, not negative. */
  weights: readonly number[];
  /**
   * Whether bucketing ranges were unequally depleted before, for example by a change of shares after traffic below 100
   * %.
   */
  isUnequallyDepleted?: boolean;
}

/**
 * Whether the participants of every phase match its shares: the sums over the phases of Pearson's chi-square and of
 * its degrees of freedom. A single phase is tested as by `sampleRatio`. Of several, phases are left out if a variation
 * has fewer than 5 expected participants, or if they were unequally depleted.
 */
export function sampleRatioOfPhases(phases: readonly PhaseCounts[]): SampleRatio {
  if (phases.length === 1) {
    return sampleRatio(phases[0].counts, phases[0].weights);
  }
  const tested = phases.filter(
    ({ counts, weights, isUnequallyDepleted }) =>
      isUnequallyDepleted !== true && Math.min(...expectedCounts(counts, weights)) >= ENOUGH_EXPECTED,
  );
  const ratios = tested.map(({ counts, weights }) => sampleRatio(counts, weights));
  const chiSquare = ratios.reduce((sum, ratio) => sum + ratio.chiSquare, 0);
  const degreesOfFreedom = ratios.reduce((sum, ratio) => sum + ratio.degreesOfFreedom, 0);
  const pValue = degreesOfFreedom === 0 ? 1 : chiSquareUpperTail(chiSquare, degreesOfFreedom);
  return { chiSquare, degreesOfFreedom, pValue, isMismatch: pValue < MISMATCH_THRESHOLD };
}

function expectedCounts(counts: readonly number[], weights: readonly number[]): number[] {
  const groups = weightedGroups(counts, weights);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return groups.map(({ share }) => total * share);
}

/** The variations that have weight, each with its share of all weights. */
function weightedGroups(
  counts: readonly number[],
  weights: readonly number[],
): { count: number; share: number }[] {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return counts
    .map((count, index) => ({ count, share: weights[index] / totalWeight }))
    .filter(({ share }) => share > 0);
}
