import Big from 'big.js';
import type { ArmComparison } from './goal-comparison';
import type { DecisionRules, ExperimentTotals, GoalTotals } from './input';
import type { ConversionStatistics, Correction, ValueStatistics } from './result';

/** The p-values for one goal and variation, adjusted for all variations and all goals (or all guardrails). */
export interface AdjustedPValues {
  fixed: number | null;
  sequential: number | null;
}

export type Primary = ConversionStatistics | ValueStatistics;

/** The figures for the goal's metric, which decisions use. */
export function primaryOf({ metric, conversion, value, count }: ArmComparison): Primary {
  return { conversion, value, count }[metric] ?? conversion;
}

/**
 * The adjusted p-values by goal and variation, in the order of the comparisons. Goals form one family, and guardrails
 * form a second one. The order identifies a comparison, because a cache may return the same object for two goals.
 */
export function adjustFamilies(
  { goals, rules }: Pick<ExperimentTotals, 'goals' | 'rules'>,
  comparisons: readonly ArmComparison[][],
): AdjustedPValues[][] {
  const [ofGoals, ofGuardrails] = [false, true].map((isGuardrail) => {
    const family = comparisons.filter((_, index) => isOneOfGuardrails(goals[index]) === isGuardrail);
    return adjustFamily(family.flat(), rules.correction);
  });
  return comparisons.map(({ length }, index) =>
    (isOneOfGuardrails(goals[index]) ? ofGuardrails : ofGoals).splice(0, length),
  );
}

type FamilyMember = Pick<GoalTotals, 'isGuardrail'>;

/** All goals and variations of an experiment, which form two families. */
type Families = Pick<ExperimentTotals, 'arms' | 'plan'> & { goals: readonly FamilyMember[] };

const isOneOfGuardrails = ({ isGuardrail }: FamilyMember): boolean => isGuardrail ?? false;

/** The number of comparisons in the family that a goal belongs to. */
export function sizeOfFamily({ goals, arms }: Omit<Families, 'plan'>, goal: FamilyMember): number {
  const own = isOneOfGuardrails(goal);
  return goals.filter((other) => isOneOfGuardrails(other) === own).length * (arms.length - 1);
}

/**
 * The number of comparisons by which a plan divides the error probability. It is fixed at the first start, because each
 * goal or variation that is added or removed later would otherwise move the boundaries of past looks. The current number
 * applies to a family that was empty then, and to plans without this number.
 */
export const sizeOfPlannedFamily = (families: Families, goal: FamilyMember): number =>
  families.plan?.comparisons?.[isOneOfGuardrails(goal) ? 'guardrails' : 'goals'] ??
  sizeOfFamily(families, goal);

function adjustFamily(comparisons: readonly ArmComparison[], correction: Correction): AdjustedPValues[] {
  const primaries = comparisons.map(primaryOf);
  const fixed = adjustPValues(
    primaries.map(({ pValue }) => pValue),
    correction,
  );
  const sequential = adjustPValues(
    primaries.map((primary) => primary.sequential?.pValue ?? null),
    correction,
  );
  return comparisons.map((_, index) => ({ fixed: fixed[index], sequential: sequential[index] }));
}

/**
 * The p-values adjusted for multiple testing, in the given order. Null stays null and is not part of the family (R
 * `p.adjust`; Holm 1979, Scand. J. Stat. 6:65; Benjamini, Hochberg 1995, JRSS-B 57:289). An adjusted p-value is never
 * smaller than the original one and never above 1.
 */
export function adjustPValues(
  pValues: readonly (number | null)[],
  correction: Correction,
): (number | null)[] {
  const family = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .sort((a, b) => a.pValue - b.pValue);
  const sorted = family.map(({ pValue }) => pValue);
  const adjusted = ADJUSTMENTS[correction](sorted);
  const result: (number | null)[] = pValues.map(() => null);
  family.forEach(({ index }, rank) => {
    result[index] = adjusted[rank];
  });
  return result;
}

const ADJUSTMENTS: Record<Correction, (sorted: readonly number[]) => readonly number[]> = {
  none: (sorted) => sorted,
  holm,
  'benjamini-hochberg': benjaminiHochberg,
};

function holm(sorted: readonly number[]): number[] {
  let largest = 0;
  return sorted.map((pValue, rank) => {
    largest = Math.max(largest, Math.min(1, (sorted.length - rank) * pValue));
    return largest;
  });
}

function benjaminiHochberg(sorted: readonly number[]): number[] {
  let smallest = 1;
  return sorted
    .map((pValue, rank) => (sorted.length / (rank + 1)) * pValue)
    .reduceRight<number[]>((adjusted, pValue) => {
      smallest = Math.min(smallest, pValue);
      return [smallest, ...adjusted];
    }, []);
}

/** A significance in percent (above 0 and below 100) as the double nearest to the fraction: 95 becomes 0.95. */
export function significanceFraction(percent: number): number {
  return new Big(percent).div(100).toNumber();
}

/**
 * The error probability for a significance in percent (above 0 and below 100). For 95, the result is exactly the double
 * 0.05, unlike `1 - 0.95`.
 */
export function alphaOf(percent: number): number {
  return new Big(100).minus(percent).div(100).toNumber();
}

/**
 * The error probability for one of several comparisons. If there is a correction and the method is not `bayesian`, this
 * is the comparison's share of alpha, because looks and forecasts cannot be adjusted by the p-values of other
 * comparisons.
 */
export const correctedAlpha = (
  { method, correction, significance }: Pick<DecisionRules, 'method' | 'correction' | 'significance'>,
  comparisons: number,
): number =>
  correction === 'none' || method === 'bayesian'
    ? alphaOf(significance)
    : alphaOf(significance) / Math.max(1, comparisons);
