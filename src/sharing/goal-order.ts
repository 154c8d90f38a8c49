import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Verdict } from '../statistics/result';
import { improvement } from './comparison';
import { type Tone, variationVerdict, type VerdictText } from './verdict';

/** A goal with its verdict as text. */
export interface JudgedGoal {
  goal: GoalResults;
  verdict: VerdictText;
}

const TONES: readonly Tone[] = ['better', 'worse', 'doubt', 'waiting', 'nothing'];
const VERDICTS: readonly Verdict[] = ['winner', 'untrustworthy', 'inconclusive', 'loser'];

/**
 * The primary goal, then goals with a decision, then the others; each group by the size of the change, largest first.
 * Guardrails are last.
 */
export function orderedGoals<G extends JudgedGoal>([primary, ...others]: readonly G[]): G[] {
  const tone = ({ verdict }: G): number => TONES.indexOf(verdict.tone);
  const guards = ({ goal }: G): number => Number(goal.role === 'guardrail');
  const sorted = [...others].sort(
    (a, b) => guards(a) - guards(b) || tone(a) - tone(b) || largest(b.goal) - largest(a.goal),
  );
  return primary === undefined ? [] : [primary, ...sorted];
}

/** The size of the largest relative change of a goal. */
function largest({ variations }: GoalResults): number {
  return Math.max(0, ...variations.map(({ uplift }) => Math.abs(uplift ?? 0)));
}

/** The variations compared with the original, best first; all variations if there is no original. */
export function orderedVariations(goal: GoalResults): VariationStatistics[] {
  const { variations } = goal;
  const compared = variations.filter(({ isOriginal }) => !isOriginal);
  if (compared.length === 0 || compared.length === variations.length) {
    return [...variations];
  }
  const verdict = (one: VariationStatistics): number => VERDICTS.indexOf(variationVerdict(goal, one));
  const gain = (one: VariationStatistics): number => improvement(goal, one) ?? Number.NEGATIVE_INFINITY;
  return compared.sort((a, b) => verdict(a) - verdict(b) || (gain(a) === gain(b) ? 0 : gain(b) - gain(a)));
}
