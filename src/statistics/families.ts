import type { ArmComparison } from './goal-comparison';
import type { ExperimentTotals } from './input';
import { adjustPValues } from './multiple-testing';
import type { ConversionStatistics, Correction, ValueStatistics } from './result';

/* Determines which comparisons are corrected for one another. */

/** The p-values of one goal and variation, adjusted for all goals (or all guardrails) and variations. */
export interface AdjustedPValues {
  fixed: number | null;
  sequential: number | null;
}

export type Primary = ConversionStatistics | ValueStatistics;

/** The figures of the goal's metric, which decisions use. */
export function primaryOf({ metric, conversion, value, count }: ArmComparison): Primary {
  return { conversion, value, count }[metric] ?? conversion;
}

/** Goals are one family, guardrails another. */
export function adjustFamilies(
  { goals, rules }: Pick<ExperimentTotals, 'goals' | 'rules'>,
  comparisons: readonly ArmComparison[][],
): ReadonlyMap<ArmComparison, AdjustedPValues> {
  const families = [false, true].map((isGuardrail) =>
    comparisons.filter((_, index) => isGuardrailAt(goals, index) === isGuardrail),
  );
  return new Map(families.flatMap((family) => [...adjustFamily(family.flat(), rules.correction)]));
}

const isGuardrailAt = (goals: ExperimentTotals['goals'], index: number): boolean =>
  goals[index].isGuardrail ?? false;

/** The number of comparisons in the family of a goal. */
export function sizeOfFamily(
  { goals, arms }: Pick<ExperimentTotals, 'goals' | 'arms'>,
  index: number,
): number {
  const own = isGuardrailAt(goals, index);
  return goals.filter((_, other) => isGuardrailAt(goals, other) === own).length * (arms.length - 1);
}

function adjustFamily(
  comparisons: readonly ArmComparison[],
  correction: Correction,
): ReadonlyMap<ArmComparison, AdjustedPValues> {
  const primaries = comparisons.map(primaryOf);
  const fixed = adjustPValues(
    primaries.map(({ pValue }) => pValue),
    correction,
  );
  const sequential = adjustPValues(
    primaries.map((primary) => primary.sequential?.pValue ?? null),
    correction,
  );
  return new Map(
    comparisons.map((comparison, index) => [
      comparison,
      { fixed: fixed[index], sequential: sequential[index] },
    ]),
  );
}
