import { chiSquareUpperTail } from './distributions';
import type { SampleRatio, UntestedParticipants } from './result';

/**
 * Significance level of the SRM test. The level is low because the test runs at every look, and a mismatch invalidates
 * the whole experiment.
 */
const MISMATCH_THRESHOLD = 0.001;
/** If a variation has fewer expected participants than this, the chi-square approximation is not reliable. */
const ENOUGH_EXPECTED = 5;

/** The participants in one phase, and the phase's published shares. */
export interface PhaseCounts {
  /** The number of participants in each variation, whole and not negative. */
  counts: readonly number[];
  /** The exact shares, in the same order, in any unit, not negative. */
  weights: readonly number[];
  /**
   * Whether the bucketing ranges were unequally depleted before this phase, for example by a change of shares after
   * traffic below 100 %.
   */
  isUnequallyDepleted?: boolean;
}

/** The result of a test, regardless of whether it could have detected a mismatch. */
type Tested = Omit<SampleRatio, 'isDetectable' | 'untested'>;

/**
 * Whether the participants in the variations match the weights: the test for a single phase.
 *
 * @param counts the number of participants in each variation, whole and not negative.
 * @param weights the exact shares, in the same order, in any unit, not negative.
 */
export const sampleRatio = (counts: readonly number[], weights: readonly number[]): SampleRatio =>
  sampleRatioOfPhases([{ counts, weights }]);

/**
 * Whether the participants in every phase match its shares. Pearson's chi-square and its degrees of freedom are summed
 * over the phases. If there are several phases, two kinds are excluded: unequally depleted phases, and phases in which
 * a variation has fewer than 5 expected participants. A mismatch is detectable if there would be one when all
 * participants in the same phases were in the variation with the smallest share.
 * @param unknown the number of participants whose phase is unknown
 */
export function sampleRatioOfPhases(phases: readonly PhaseCounts[], unknown = 0): SampleRatio {
  return {
    ...testPhases(phases),
    isDetectable: testPhases(phases.map(mostUneven)).isMismatch,
    untested: untestedIn(phases, unknown),
  };
}

function testPhases(phases: readonly PhaseCounts[]): Tested {
  if (phases.length === 1) {
    return testCounts(phases[0].counts, phases[0].weights);
  }
  const tested = phases.filter((phase) => phase.isUnequallyDepleted !== true && hasEnough(phase));
  const ratios = tested.map(({ counts, weights }) => testCounts(counts, weights));
  const chiSquare = ratios.reduce((sum, ratio) => sum + ratio.chiSquare, 0);
  const degreesOfFreedom = ratios.reduce((sum, ratio) => sum + ratio.degreesOfFreedom, 0);
  const pValue = degreesOfFreedom === 0 ? 1 : chiSquareUpperTail(chiSquare, degreesOfFreedom);
  return { chiSquare, degreesOfFreedom, pValue, isMismatch: pValue < MISMATCH_THRESHOLD };
}

const hasEnough = ({ counts, weights }: PhaseCounts): boolean =>
  Math.min(...expectedCounts(counts, weights)) >= ENOUGH_EXPECTED;

/** The participants who are not tested. A single phase is never excluded. */
function untestedIn(phases: readonly PhaseCounts[], unknown: number): UntestedParticipants {
  const depleted = phases.filter(({ isUnequallyDepleted }) => isUnequallyDepleted === true);
  const few = phases.filter((phase) => phase.isUnequallyDepleted !== true && !hasEnough(phase));
  return {
    depleted: participantsOf(depleted),
    few: phases.length === 1 ? 0 : participantsOf(few),
    unknown,
  };
}

const participantsOf = (phases: readonly PhaseCounts[]): number =>
  phases.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);

/**
 * Pearson's chi-square test (Fabijan et al. 2019, KDD; Kohavi, Tang, Xu 2020, chapters 3 and 21). Variations without a
 * weight are skipped. If fewer than two variations have a weight, or if there are no participants, the p-value is 1.
 */
function testCounts(counts: readonly number[], weights: readonly number[]): Tested {
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
 * The same phase with all of its participants in the variation with the smallest share, in which case chi-square is
 * largest.
 */
function mostUneven(phase: PhaseCounts): PhaseCounts {
  const { counts, weights } = phase;
  const participants = weightedGroups(counts, weights).reduce((sum, { count }) => sum + count, 0);
  const smallest = weights.indexOf(Math.min(...weights.filter((weight) => weight > 0)));
  return { ...phase, counts: weights.map((_, index) => (index === smallest ? participants : 0)) };
}

function expectedCounts(counts: readonly number[], weights: readonly number[]): number[] {
  const groups = weightedGroups(counts, weights);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return groups.map(({ share }) => total * share);
}

/** The variations that have a weight, each with its share of the total weight. */
function weightedGroups(
  counts: readonly number[],
  weights: readonly number[],
): { count: number; share: number }[] {
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return counts
    .map((count, index) => ({ count, share: weights[index] / totalWeight }))
    .filter(({ share }) => share > 0);
}
