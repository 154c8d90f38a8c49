import { nameInSentence } from '../presentation/text/names';
import { formatPercent, formatSize, formatValue } from '../presentation/text/numbers';
import type { GoalResults } from '../results/experiment-results';
import type { ConversionStatistics, ValueStatistics, VariationStatistics } from '../statistics/result';

/** What the goal is judged by, between a variation and the original; null where they cannot be compared. */
export function judgedBlock({
  statistics,
}: VariationStatistics): ConversionStatistics | ValueStatistics | null {
  return statistics.metric === 'value' ? statistics.value : statistics.conversion;
}

/** By how much a variation is better than the original, in the goal's own unit; negative when it is worse. */
export function improvement(goal: GoalResults, variation: VariationStatistics): number | null {
  const difference = judgedBlock(variation)?.difference ?? null;
  return difference !== null && goal.direction === 'decrease' ? 0 - difference : difference;
}

/** The figure that the goal is judged by. */
export const judgedFigure = (goal: GoalResults, variation: VariationStatistics): number | null =>
  goal.hasValue ? variation.valuePerParticipant : variation.conversionRate;

/** The name of that figure. */
export const figureName = (goal: GoalResults): string =>
  goal.hasValue ? 'value per participant' : 'conversion rate';

/** `Its conversion rate is 8.05 %, 7.3 % higher than the 7.50 % of Original.` */
export function comparison(
  goal: GoalResults,
  variation: VariationStatistics,
  original: VariationStatistics,
): string {
  const [own, others] = [judgedFigure(goal, variation), judgedFigure(goal, original)];
  if (own === null || others === null) {
    return missingComparison(variation);
  }
  const format = goal.hasValue ? formatValue : formatPercent;
  const subject = `The ${figureName(goal)} of ${nameInSentence(variation.name)} is ${format(own, [others])}`;
  const reference = `the ${format(others, [own])} of ${nameInSentence(original.name)}`;
  if (own === others) {
    return `${subject}, exactly as that of ${nameInSentence(original.name)}.`;
  }
  // A percentage of something negative, or one that leads below zero, would mislead.
  const isSized = own >= 0 && others >= 0;
  const size = isSized && variation.uplift !== null ? `${formatSize(variation.uplift)} ` : '';
  const wish = goal.direction === 'decrease' ? ' For this goal lower is better.' : '';
  return `${subject}, ${size}${own > others ? 'higher' : 'lower'} than ${reference}.${wish}`;
}

/** Why there is no comparison with the original. */
export function missingComparison(variation: VariationStatistics | undefined): string {
  const warnings = variation?.statistics.warnings ?? [];
  if (warnings.includes('NO_PARTICIPANTS')) {
    return 'The original and at least one other variation need participants.';
  }
  if (warnings.includes('INVALID_COUNTS')) {
    return 'More participants converted than took part; look at how the events are sent.';
  }
  return 'There are too few participants for a comparison.';
}
