import type { ArmComparison } from './goal-comparison';
import type { DecisionRules, ExperimentTotals, GoalTotals, Runtime } from './input';
import {
  type AdjustedPValues,
  adjustFamilies,
  alphaOf,
  primaryOf,
  significanceFraction,
} from './multiple-testing';
import type { Verdict } from './result';

/** The figures for the goal's metric that decide the verdict for one goal and variation. Undefined figures are null. */
export interface Evidence {
  /** Variation - original. */
  difference: number | null;
  /** P-value from the fixed-horizon test, adjusted for several goals and variations. */
  pValue: number | null;
  /** P-value from the sequential test, adjusted in the same way. */
  sequentialPValue: number | null;
  chanceToBeatOriginal: number | null;
  /** The difference at the deciding look of a plan; null if no look has decided. */
  decidedDifference: number | null;
}

/** The runtime and conversions of a comparison so far. */
export interface Progress {
  /** Days in the status `running`, excluding pauses, on which both variations had a share. */
  daysRunning: number;
  /** Those of the days on which the counted participants entered; all of them if absent. */
  daysSampled?: number;
  /** The number of participants who converted in each of the compared variations. */
  conversions: readonly number[];
  /** Whether the sample does not grow because one of the compared variations gets no participants any more. */
  isStopped?: boolean;
}

/**
 * The verdict according to the project's method, regardless of the minimum conversions and the minimum runtime. A
 * result is significant if the p-value is at most alpha, if a look of the plan has decided, or if the chance to beat
 * the original is at least the significance (winner) or at most alpha (loser). The sign of the difference decides
 * between winner and loser. If there is no difference, there is no verdict. A Bayesian verdict must agree with the sign
 * of the difference, because with few participants, the prior may give a chance that contradicts the difference.
 */
export function significantVerdict(
  evidence: Evidence,
  rules: DecisionRules,
  direction: GoalTotals['direction'],
): Verdict {
  if (rules.method === 'planned') {
    return verdictBySign(evidence.decidedDifference, direction);
  }
  const bySign = verdictBySign(evidence.difference, direction);
  if (rules.method === 'bayesian') {
    const byChance = verdictByChance(evidence.chanceToBeatOriginal, rules.significance);
    return byChance === bySign ? bySign : 'inconclusive';
  }
  const pValue = rules.method === 'sequential' ? evidence.sequentialPValue : evidence.pValue;
  const isSignificant = pValue !== null && pValue <= alphaOf(rules.significance);
  return isSignificant ? bySign : 'inconclusive';
}

function verdictBySign(difference: number | null, direction: GoalTotals['direction']): Verdict {
  if (difference === null || difference === 0) {
    return 'inconclusive';
  }
  return difference > 0 === (direction === 'increase') ? 'winner' : 'loser';
}

function verdictByChance(chance: number | null, significance: number): Verdict {
  if (chance !== null && chance >= significanceFraction(significance)) {
    return 'winner';
  }
  return chance !== null && chance <= alphaOf(significance) ? 'loser' : 'inconclusive';
}

/**
 * The final verdict, which is the verdict by significance once there are enough conversions and days, and inconclusive
 * until then.
 */
export function gatedVerdict(significant: Verdict, rules: DecisionRules, progress: Progress): Verdict {
  return hasEnoughConversions(rules, progress) && hasRunLongEnough(rules, progress)
    ? significant
    : 'inconclusive';
}

/**
 * Whether the variations together have enough conversions. The number needed is the project's minimum, multiplied by
 * the number of variations. If each variation had to reach the minimum, a variation that prevents nearly all
 * conversions would never get a verdict.
 */
export function hasEnoughConversions(rules: DecisionRules, { conversions }: Progress): boolean {
  return conversionsIn(conversions) >= conversionsNeeded(rules, conversions);
}

/** The number of participants who converted in all variations combined. */
export const conversionsIn = (conversions: readonly number[]): number =>
  conversions.reduce((sum, count) => sum + count, 0);

/** The number of participants who must have converted, in all variations combined. */
export const conversionsNeeded = (
  { minConversions }: Pick<DecisionRules, 'minConversions'>,
  conversions: readonly number[],
): number => minConversions * conversions.length;

/**
 * The days that count for a variation. A variation that was added later must reach the minimum runtime itself, because
 * participants are compared only with those who entered at the same time.
 */
export const daysFor = ({ daysRunning, daysCompared }: Runtime, variation: number): number =>
  daysCompared?.get(variation) ?? daysRunning;

export const progressOf = (
  input: Runtime & Pick<ExperimentTotals, 'stopped'>,
  { entryTime = input }: Pick<GoalTotals, 'entryTime'>,
  { arm, converters }: Pick<ArmComparison, 'arm' | 'converters'>,
): Progress => ({
  daysRunning: daysFor(input, arm.id),
  daysSampled: daysFor(entryTime, arm.id),
  conversions: converters,
  isStopped: input.stopped?.has(arm.id),
});

/** Whether the comparison has reached the project's minimum runtime. */
export function hasRunLongEnough(
  { minRuntimeDays }: Pick<DecisionRules, 'minRuntimeDays'>,
  { daysRunning }: Pick<Progress, 'daysRunning'>,
): boolean {
  return daysRunning >= minRuntimeDays;
}

/**
 * For each goal, the ids of the variations that make it worse; none for goals that are not guardrails. The always-valid
 * test decides regardless of the project's method, because guardrails are checked continuously. Its p-values are
 * adjusted for all guardrails. The minimum conversions are required but not the minimum runtime, because a harmful
 * variation should be stopped early. A sample ratio mismatch does not prevent a verdict, because a variation that loses
 * visitors is also harmful.
 */
export function trippedGuardrails(
  input: Pick<ExperimentTotals, 'goals' | 'rules'>,
  comparisons: readonly ArmComparison[][],
): number[][] {
  const rules = { ...input.rules, method: 'sequential' as const };
  const adjusted = adjustFamilies(input, comparisons);
  const isWorse = (
    own: ArmComparison,
    { fixed, sequential }: AdjustedPValues,
    direction: GoalTotals['direction'],
  ): boolean => {
    const evidence = {
      difference: primaryOf(own).difference,
      pValue: fixed,
      sequentialPValue: sequential,
      chanceToBeatOriginal: null,
      decidedDifference: null,
    };
    const progress = { daysRunning: 0, conversions: own.converters };
    return (
      hasEnoughConversions(rules, progress) && significantVerdict(evidence, rules, direction) === 'loser'
    );
  };
  return input.goals.map(({ isGuardrail, direction }, index) =>
    isGuardrail === true
      ? comparisons[index]
          .filter((own, arm) => isWorse(own, adjusted[index][arm], direction))
          .map(({ arm }) => arm.id)
      : [],
  );
}
