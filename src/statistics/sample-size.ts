import { normalCritical, normalQuantile } from './normal';

/** Participants that an experiment needs, whole. */
export interface SampleSize {
  control: number;
  variation: number;
}

/** What a planned experiment is to show, and how surely. */
export interface Plan {
  /** Two-sided error probability, above 0 and below 1. */
  alpha: number;
  /** The chance to see the effect if it is there, above 0 and below 1; usually 0.8. */
  power: number;
}

/**
 * Participants needed to tell two conversion rates apart (R `power.prop.test`; Fleiss 1981 for unequal groups), rounded
 * up; null for equal rates.
 *
 * @param rates of control and variation, as fractions.
 * @param ratio how many participants the variation has for each one of the control, above 0.
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
  return { control: Math.ceil(control), variation: Math.ceil(ratio * control) };
}

/**
 * Participants needed in each of two equal groups to see a difference of means, n = 2σ²(z + z)²/δ² rounded up; null for
 * no difference.
 *
 * @param difference and deviation (the standard deviation of the values) in the same unit.
 */
export function sampleSizeForMeans(
  difference: number,
  deviation: number,
  { alpha, power }: Plan,
): SampleSize | null {
  if (difference === 0) {
    return null;
  }
  const each = Math.ceil(
    2 * ((deviation * (normalCritical(alpha) + normalQuantile(power))) / difference) ** 2,
  );
  return { control: each, variation: each };
}
