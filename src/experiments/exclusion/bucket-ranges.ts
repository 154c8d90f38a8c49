/*
 * A single hash divides the visitors in an exclusion group into buckets. Each experiment gets ranges of buckets. Ranges
 * never move, so a gap remains when an experiment releases its ranges.
 */

/** Number of buckets. The GrowthBook SDKs have the same number of hash values. Each bucket is one basis point. */
export const BUCKETS = 10_000;

/** The first bucket, and the bucket after the last one. */
export type BucketRange = readonly [first: number, end: number];

/** The number of buckets in ranges that do not overlap. */
export const bucketsIn = (ranges: readonly BucketRange[]): number =>
  ranges.reduce((sum, [first, end]) => sum + end - first, 0);

/**
 * The ranges for an experiment that needs this many buckets. The experiment keeps its current ranges, releases the last
 * buckets, or gets the first free buckets in addition.
 * @param held the experiment's current ranges
 * @param taken the ranges of the group's other experiments
 * @returns the ranges in order, merged; null if too few buckets are free
 */
export function fittedRanges(
  held: readonly BucketRange[],
  buckets: number,
  taken: readonly BucketRange[],
): BucketRange[] | null {
  const missing = buckets - bucketsIn(held);
  const added = missing > 0 ? firstBuckets(freeRanges([...held, ...taken]), missing) : [];
  const fitted = missing > 0 ? joined([...held, ...added]) : firstBuckets(joined(held), buckets);
  return bucketsIn(fitted) === buckets ? fitted : null;
}

/** The free ranges. */
export function freeRanges(taken: readonly BucketRange[]): BucketRange[] {
  const free: BucketRange[] = [];
  let next = 0;
  for (const [first, end] of [...joined(taken), [BUCKETS, BUCKETS] as const]) {
    if (first > next) {
      free.push([next, first]);
    }
    next = end;
  }
  return free;
}

/** The given number of buckets from the beginning of the ranges, or all of them if there are fewer. */
function firstBuckets(ranges: readonly BucketRange[], buckets: number): BucketRange[] {
  const chosen: BucketRange[] = [];
  let left = buckets;
  for (const [first, end] of ranges) {
    if (left > 0) {
      chosen.push([first, Math.min(end, first + left)]);
      left -= end - first;
    }
  }
  return chosen;
}

/** The same buckets, with the ranges sorted and adjacent ranges merged. */
function joined(ranges: readonly BucketRange[]): BucketRange[] {
  const whole: [number, number][] = [];
  for (const [first, end] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last?.[1] === first) {
      last[1] = end;
    } else {
      whole.push([first, end]);
    }
  }
  return whole;
}
