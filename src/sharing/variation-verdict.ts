import type { GoalResults } from '../results/experiment-results';
import type { VariationStatistics, Verdict } from '../statistics/result';

/** The verdict about a variation on one goal. A tripped guardrail is worse, and does not wait for its verdict. */
export const variationVerdict = (
  { tripped }: Pick<GoalResults, 'tripped'>,
  { id, statistics: { verdict } }: Pick<VariationStatistics, 'id' | 'statistics'>,
): Verdict => (verdict === 'inconclusive' && tripped.includes(id) ? 'loser' : verdict);
