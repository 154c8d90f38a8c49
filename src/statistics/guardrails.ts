import { hasEnoughConversions, significantVerdict } from './decision';
import type { ArmComparison } from './goal-comparison';
import type { ExperimentTotals } from './input';
import { adjustFamilies, primaryOf } from './multiple-testing';

/**
 * For each goal, the ids of the variations that make it worse; none for goals that are not guardrails. The always-valid
 * test decides regardless of the project's method, because guardrails are checked continuously. Its p-values are
 * adjusted for all guardrails. The minimum conversions are required, but not the minimum runtime, because a harmful
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
    direction: ExperimentTotals['goals'][number]['direction'],
  ): boolean => {
    const { sequential = null, fixed = null } = adjusted.get(own) ?? {};
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
      ? comparisons[index].filter((own) => isWorse(own, direction)).map(({ arm }) => arm.id)
      : [],
  );
}
