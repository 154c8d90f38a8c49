import type { GoalResults } from '../results/experiment-results';
import type { Interval } from '../statistics/result';

/**
 * The interval as a range to show; null where it has no width. Such an interval comes of figures that do not vary yet,
 * for example when nobody converted: nothing is known about their uncertainty then, least of all that there is none.
 */
export function knownRange(interval: Interval | null): Interval | null {
  return interval !== null && interval[0] < interval[1] ? interval : null;
}

/**
 * Does a range of the change reach where no conversion rate can fall? Ranges are symmetric around a change about which
 * little is known yet, and are shown as they were computed.
 */
export const isImpossible = (
  { hasValue }: Pick<GoalResults, 'hasValue'>,
  range: readonly [lower: number, upper: number] | null,
): boolean => !hasValue && range !== null && range[0] < -1;
