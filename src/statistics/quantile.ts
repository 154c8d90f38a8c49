import { normalQuantile } from './distributions';

const MOST_STEPS = 100;
/** The last step of the search, in deviations; the remaining error is far smaller. */
const SMALLEST_STEP = 1e-8;
/** Probabilities between which the normal deviate is finite. */
const LOWEST = 1e-300;
const HIGHEST = 1 - Number.EPSILON;

/** The range in which to search for a quantile. */
export interface SearchRange {
  /** About the mean and the standard deviation of the distribution. */
  centre: number;
  deviation: number;
  /** The quantile is certainly between these. */
  low: number;
  high: number;
}

/**
 * The quantile of a continuous distribution for this probability (above 0, below 1). Secant steps on the scale of
 * normal deviates, where the distribution function is nearly a straight line; bisection where a step would leave the
 * bracket.
 */
export function quantileOf(
  cdf: (value: number) => number,
  probability: number,
  { centre, deviation, low, high }: SearchRange,
): number {
  const target = normalQuantile(probability);
  let last = { value: NaN, gap: NaN };
  let value = Math.min(high, Math.max(low, centre + target * deviation));
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const gap = normalQuantile(Math.min(HIGHEST, Math.max(LOWEST, cdf(value)))) - target;
    const slope = step === 0 ? deviation : (value - last.value) / (gap - last.gap);
    last = { value, gap };
    value -= gap * slope;
    if (gap === 0 || Math.abs(value - last.value) < SMALLEST_STEP * deviation) {
      return value;
    }
    [low, high] = gap > 0 ? [low, last.value] : [last.value, high];
    if (!(value > low && value < high)) {
      value = (low + high) / 2;
    }
  }
  return value;
}
