import type { Interval } from '../statistics/result';

/**
 * The interval as a range to show; null where it has no width. Such an interval comes of figures that do not vary yet,
 * for example when nobody converted: nothing is known about their uncertainty then, least of all that there is none.
 */
export function knownRange(interval: Interval | null): Interval | null {
  return interval !== null && interval[0] < interval[1] ? interval : null;
}
