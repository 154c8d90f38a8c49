import { normalCritical, normalQuantile } from './distributions';

/** The sample size of an experiment, not yet rounded up. */
export interface SampleSize {
  control: number;
  variation: number;
}

/** The error probability and the power of a planned experiment. */
export interface Plan {
  /** Two-sided error probability, above 0 and below 1. */
  alpha: number;
  /** The probability of detecting the effect if it exists, above 0 and below 1; usually 0.8. */
  power: number;
}

/**
 * Sample size for detecting a difference between two conversion rates (R `power.prop.test`; Fleiss 1981 for unequal
 * groups); null for equal rates.
 *
 * @param rates of control and variation, as fractions.
 * @param ratio participants of the variation for each participant of the control, above 0.
 */
export function sampleSizeForRates(
  [p1, p2]: readonly [control: number, variation: number],
  { alpha, power }: Plan,
  ratio = 1,
): SampleSize | null {
  if (p1 === p2) {
    return null;
  }
  const pooled = (p1 + ratio * p2) / (1 + ratio);
  const underNull = normalCritical(alpha) * Math.sqrt(pooled * (1 - pooled) * (1 + 1 / ratio));
  const underEffect = normalQuantile(power) * Math.sqrt(p1 * (1 - p1) + (p2 * (1 - p2)) / ratio);
  const control = ((underNull + underEffect) / (p2 - p1)) ** 2;
  return { control, variation: ratio * control };
}

/**
 * Sample size for detecting a difference of means, n0 = σ²(1 + 1/r)(z_{1-α/2} + z_power)²/δ² in the control; null
 * without a difference, and for values that do not vary. For two equal groups, R's `power.t.test`, which uses the
 * quantiles of t, gives about one participant more.
 *
 * @param difference and deviation (the standard deviation of the values) in the same unit.
 * @param ratio participants of the variation for each participant of the control, above 0.
 */
export function sampleSizeForMeans(
  difference: number,
  deviation: number,
  { alpha, power }: Plan,
  ratio = 1,
): SampleSize | null {
  if (difference === 0 || deviation === 0) {
    return null;
  }
  const errors = (deviation * (normalCritical(alpha) + normalQuantile(power))) / difference;
  const control = (1 + 1 / ratio) * errors ** 2;
  return { control, variation: ratio * control };
}
