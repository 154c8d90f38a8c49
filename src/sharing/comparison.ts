import { formatPercent, formatSize, formatValue, withCurrency } from '../presentation/text/numbers';
import { nameInSentence } from '../presentation/text/words';
import type { GoalResults } from '../results/experiment-results';
import type {
  ConversionStatistics,
  Interval,
  ValueStatistics,
  VariationStatistics,
} from '../statistics/result';
import { intervalsOf } from '../statistics/shown-intervals';

/** Rounding tolerance when comparing two figures, as a fraction of the figure. */
const ROUNDING = 1e-9;

/** The decisive comparison of a variation with the original; null if the two cannot be compared. */
export function judgedBlock({
  statistics,
}: VariationStatistics): ConversionStatistics | ValueStatistics | null {
  return statistics[statistics.metric];
}

/** The improvement over the original in the goal's unit; negative if the variation is worse. */
export function improvement(goal: GoalResults, variation: VariationStatistics): number | null {
  const difference = judgedBlock(variation)?.difference ?? null;
  return difference !== null && goal.direction === 'decrease' ? 0 - difference : difference;
}

/** The variation's value for the goal's metric. */
export const judgedFigure = ({ metric }: GoalResults, variation: VariationStatistics): number | null =>
  ({
    conversion: variation.conversionRate,
    value: variation.valuePerParticipant,
    count: variation.conversionsPerParticipant,
  })[metric];

/** The name of the goal's metric. */
export const figureName = ({ metric }: Pick<GoalResults, 'metric'>): string =>
  ({
    conversion: 'conversion rate',
    value: 'value per participant',
    count: 'number of conversions per participant',
  })[metric];

/** The goal's metric as text, with enough digits to distinguish it from the figures shown with it. */
export const formatFigure = (
  { metric, currency }: Pick<GoalResults, 'metric' | 'currency'>,
  value: number,
  others: readonly number[] = [],
): string =>
  metric === 'value'
    ? withCurrency(formatValue(value, others), currency)
    : (metric === 'conversion' ? formatPercent : formatValue)(value, others);

/** `The conversion rate of B is 8.05 %, 7.3 % higher than A (7.50 %).` */
export function comparison(
  goal: GoalResults,
  variation: VariationStatistics,
  original: VariationStatistics,
): string {
  const [own, others] = [judgedFigure(goal, variation), judgedFigure(goal, original)];
  if (own === null || others === null) {
    return missingComparison(goal, variation);
  }
  const subject = `The ${figureName(goal)} of ${nameInSentence(variation.name)} is ${formatFigure(goal, own, [others])}`;
  const reference = `${nameInSentence(original.name)} (${formatFigure(goal, others, [own])})`;
  // A percentage of a negative value would be misleading, and so would a percentage that leads to a value below zero.
  const isSized = own >= 0 && others >= 0;
  const size = isSized && variation.uplift !== null ? `${formatSize(variation.uplift)} ` : '';
  if (isOfStrata(variation, own, others)) {
    return `${subject}, compared with ${reference}. ${strataWords(variation, size)}${wish(goal)}`;
  }
  if (own === others) {
    return `${subject}, the same as ${nameInSentence(original.name)}.`;
  }
  return `${subject}, ${size}${own > others ? 'higher' : 'lower'} than ${reference}.${wish(goal)}`;
}

const wish = ({ direction }: GoalResults): string =>
  direction === 'decrease' ? ' Lower is better for this goal.' : '';

/**
 * Whether the comparison is not based on the displayed figures for all participants, because there are several strata
 * or the variation was shown only in some phases.
 */
function isOfStrata(variation: VariationStatistics, own: number, others: number): boolean {
  const { test, difference } = judgedBlock(variation) ?? { test: null, difference: null };
  const isStratified = test === 'mantel-haenszel' || test === 'stratified-welch';
  const apart = difference === null ? 0 : Math.abs(own - others - difference);
  return isStratified || apart > ROUNDING * Math.max(Math.abs(own), Math.abs(others));
}

/**
 * If the traffic shares have changed, the figures for all participants can point in the opposite direction (Simpson's
 * paradox).
 */
function strataWords(variation: VariationStatistics, size: string): string {
  const difference = judgedBlock(variation)?.difference ?? 0;
  const found = difference === 0 ? 'equal' : `${size}${difference > 0 ? 'higher' : 'lower'}`;
  return `${SHARES_CHANGED} Among participants who entered under the same shares, it is ${found}.`;
}

const SHARES_CHANGED = 'The shares changed during the experiment.';

/** A short form of `strataNote` for tables; null if the change is the difference between the displayed figures. */
export function strataMark(goal: GoalResults, variation: VariationStatistics): string | null {
  const original = goal.variations.find(({ isOriginal }) => isOriginal);
  return original !== undefined && strataNote(goal, variation, original).length > 0
    ? 'within the same shares'
    : null;
}

/** Why the change differs from the displayed figures, without saying which variation is ahead. */
export function strataNote(
  goal: GoalResults,
  variation: VariationStatistics,
  original: VariationStatistics,
): string[] {
  const [own, others] = [judgedFigure(goal, variation), judgedFigure(goal, original)];
  return own !== null && others !== null && isOfStrata(variation, own, others)
    ? [`${SHARES_CHANGED} Only participants who entered under the same shares are compared.`]
    : [];
}

/** Why there is no comparison with the original. */
export function missingComparison(goal: GoalResults, variation: VariationStatistics): string {
  const { name, statistics } = variation;
  const { warnings } = statistics;
  const isCompared = goal.variations.some((one) => judgedBlock(one)?.difference != null);
  if (warnings.includes('NO_PARTICIPANTS') && isCompared) {
    return `There are no participants to compare ${nameInSentence(name)} with the original yet.`;
  }
  if (warnings.includes('NO_PARTICIPANTS')) {
    return 'The original and at least one other variation need participants.';
  }
  if (warnings.includes('INVALID_COUNTS')) {
    return 'There are more conversions than participants. Check how your site sends events.';
  }
  return 'There are too few participants for a comparison.';
}

/**
 * The interval as a range to show; null if it has no width. Figures without variance, for example without conversions,
 * have an interval of zero width, although their uncertainty is unknown rather than zero.
 */
export function knownRange(interval: Interval | null): Interval | null {
  return interval !== null && interval[0] < interval[1] ? interval : null;
}

/**
 * Whether an uplift range extends below −100 %, which is impossible for a conversion rate. This can happen if there is
 * little data. The range is shown as computed.
 */
export const isImpossible = (
  { metric }: Pick<GoalResults, 'metric'>,
  range: readonly [lower: number, upper: number] | null,
): boolean => metric === 'conversion' && range !== null && range[0] < -1;

/** Like `isImpossible`, for a difference: two rates cannot differ by more than 100 percentage points. */
export const isImpossibleDifference = (
  { metric }: Pick<GoalResults, 'metric'>,
  range: readonly [lower: number, upper: number] | null,
): boolean => metric === 'conversion' && range !== null && (range[0] < -1 || range[1] > 1);

/** The range of the uplift over the original; null if it is unknown. */
export const upliftRange = (variation: VariationStatistics): Interval | null =>
  knownRange(intervalsOf(variation).uplift);
