import type { ExperimentFacts } from './experiment-facts';
import { participantsByVariation, SumsByGoal } from './totals';

export const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** In the order of the variations. @param phase see `participantsByVariation` */
export function participantsOf(
  { variations }: Pick<ExperimentFacts, 'variations'>,
  sums: SumsByGoal,
  phase?: number,
): number[] {
  const counted = participantsByVariation(sums, phase);
  return variations.map(({ id }) => counted.get(id) ?? 0);
}
