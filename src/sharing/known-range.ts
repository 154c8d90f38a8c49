import type { GoalResults } from '../results/experiment-results';
import type { Interval, VariationStatistics } from '../statistics/result';
import { intervalsOf } from '../statistics/shown-intervals';

/**
 * The interval as a range to show; null if it has no width. Figures without variance, for example without conversions,
 * have such an interval: their uncertainty is unknown, not zero.
 */
export function knownRange(interval: Interval | null): Interval | null {
  return interval !== null && interval[0] < interval[1] ? interval : null;
}

/**
 * Whether a range of the change extends below −100 %, which is impossible for a conversion rate. With little data it
 * can; it is shown as computed.
 */
export const isImpossible = (
  { metric }: Pick<GoalResults, 'metric'>,
  range: readonly [lower: number, upper: number] | null,
): boolean => metric === 'conversion' && range !== null && range[0] < -1;

/** The range of the change against the original; null if it is not known. */
export const upliftRange = (variation: VariationStatistics): Interval | null =>
  knownRange(intervalsOf(variation).uplift);
