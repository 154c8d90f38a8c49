import type { DecisionRules, GoalTotals } from './input';
import type { Verdict } from './result';
import { alphaOf, significanceFraction } from './multiple-testing';

/** The basis of a decision on one goal and variation, for the goal's metric; null where it is not defined. */
export interface Evidence {
  /** Variation - original. */
  difference: number | null;
  /** Of the fixed-horizon test, adjusted for several goals and variations. */
  pValue: number | null;
  /** Of the sequential test, adjusted likewise. */
  sequentialPValue: number | null;
  chanceToBeatOriginal: number | null;
  /** The difference at the look of a plan that decided; null without a decision. */
  decidedDifference: number | null;
}

/** The runtime and the conversions of an experiment so far. */
export interface Progress {
  /** Pauses excluded. */
  daysRunning: number;
  /** Participants who converted, in each of the compared variations. */
  conversions: readonly number[];
}

/**
 * The verdict of the figures by the project's method, before the other requirements: significant means a p-value of at
 * most alpha, a look of the plan that decided, or a chance to beat the original of at least the significance (winner)
 * or at most alpha (loser). The sign of the difference decides between winner and loser. Without a difference there is
 * no verdict: with few participants, the prior may give a chance that contradicts it.
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

/** The final verdict: the significant one, once there are enough conversions and days. */
export function gatedVerdict(significant: Verdict, rules: DecisionRules, progress: Progress): Verdict {
  return hasEnoughConversions(rules, progress) && hasRunLongEnough(rules, progress)
    ? significant
    : 'inconclusive';
}

/**
 * Whether the variations together have the minimum conversions times their number. If each had to reach the minimum, a
 * change that prevents nearly all conversions would never be decided.
 */
export function hasEnoughConversions(rules: DecisionRules, { conversions }: Progress): boolean {
  return conversionsIn(conversions) >= conversionsNeeded(rules, conversions);
}

/** Participants who converted, in all variations concerned. */
export const conversionsIn = (conversions: readonly number[]): number =>
  conversions.reduce((sum, count) => sum + count, 0);

/** The number required by the project. */
export const conversionsNeeded = (
  { minConversions }: Pick<DecisionRules, 'minConversions'>,
  conversions: readonly number[],
): number => minConversions * conversions.length;

/** Whether the experiment has reached the minimum runtime of the project. */
export function hasRunLongEnough({ minRuntimeDays }: DecisionRules, { daysRunning }: Progress): boolean {
  return daysRunning >= minRuntimeDays;
}
