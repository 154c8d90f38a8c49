import type {
  ConversionStatistics,
  Interval,
  Method,
  PlannedStatistics,
  ValueStatistics,
  VariationStatistics,
} from './result';

/** The intervals of a comparison that are displayed. */
export interface ShownIntervals {
  difference: Interval | null;
  uplift: Interval | null;
}

/** A block with the intervals for each method. */
export type Compared = Pick<ConversionStatistics | ValueStatistics, 'interval' | 'upliftInterval'> & {
  sequential: Pick<NonNullable<ValueStatistics['sequential']>, 'interval' | 'upliftInterval'> | null;
};

type Planned = Pick<PlannedStatistics, 'interval' | 'upliftInterval'>;

/**
 * The intervals that belong to the method's test, so they exclude 0 exactly when that test is significant. These are
 * the confidence sequence for `sequential`, the repeated confidence interval at the look for `planned`, and the
 * fixed-horizon interval for all other methods. A correction for several comparisons changes only the test, not the
 * intervals, except for `planned`, whose looks use this comparison's share of alpha for both.
 *
 * @param planned null for filtered results, which have no looks and show the confidence sequence.
 */
export function shownIntervals(
  method: Method,
  compared: Compared | null,
  planned: Planned | null,
): ShownIntervals {
  const source = {
    sequential: () => compared?.sequential,
    planned: () => planned ?? compared?.sequential,
    frequentist: () => compared,
    bayesian: () => compared,
  }[method]();
  return { difference: source?.interval ?? null, uplift: source?.upliftInterval ?? null };
}

/** The displayed intervals for a variation, for the goal's metric. */
export const intervalsOf = ({ statistics }: Pick<VariationStatistics, 'statistics'>): ShownIntervals =>
  shownIntervals(statistics.method, statistics[statistics.metric], statistics.planned);

/** Whether there is an interval and 0 is outside it. */
export const excludesZero = (interval: Interval | null): boolean =>
  interval !== null && (interval[0] > 0 || interval[1] < 0);
