import { normalCritical } from './distributions';
import type { Interval } from './result';

/** The number of a variation's participants who converted: whole numbers, 0 <= successes <= trials. */
export interface RateCounts {
  successes: number;
  trials: number;
}

/**
 * Wilson's score interval for one rate, as fractions within 0 and 1; for 0 < alpha < 1 and at least one trial (Wilson
 * 1927; Newcombe 1998, Stat. Med. 17:857, method 3).
 */
export const wilsonInterval = (counts: RateCounts, alpha: number): Interval =>
  scoreInterval(counts, normalCritical(alpha));

/** The rates whose distance from the observed rate is at most `z` of their own standard errors; at least one trial. */
export function scoreInterval({ successes, trials }: RateCounts, z: number): Interval {
  const rate = successes / trials;
  const share = (z * z) / trials;
  const centre = rate + share / 2;
  const reach = z * Math.sqrt((rate * (1 - rate)) / trials + share / (4 * trials));
  const lower = successes === 0 ? 0 : (centre - reach) / (1 + share);
  const upper = successes === trials ? 1 : (centre + reach) / (1 + share);
  return [lower, upper];
}

/** The variance of an observed rate, p(1-p)/n; 0 if no one or everyone converted. */
export function rateVariance({ successes, trials }: RateCounts): number {
  const rate = successes / trials;
  return (rate * (1 - rate)) / trials;
}

/**
 * The unpooled normal interval for the difference between two rates, as fractions; for 0 < alpha < 1 and at least one
 * trial on each side. It is not clipped, and has zero width if no one or everyone converted on both sides.
 */
export function waldInterval(control: RateCounts, variation: RateCounts, alpha: number): Interval {
  const difference = variation.successes / variation.trials - control.successes / control.trials;
  const reach = normalCritical(alpha) * Math.sqrt(rateVariance(control) + rateVariance(variation));
  return [difference - reach, difference + reach];
}

/**
 * The hybrid score interval for the difference variation - control, as fractions within -1 and 1; for 0 < alpha < 1 and
 * at least one trial on each side (Newcombe 1998, Stat. Med. 17:873, method 10). It never has zero width, even with
 * zero cells.
 */
export const newcombeInterval = (control: RateCounts, variation: RateCounts, alpha: number): Interval =>
  weightedNewcombeInterval([{ control, variation, weight: 1 }], alpha);

/**
 * Newcombe's interval for a weighted sum of differences: the hybrid score interval for a linear function of rates (Zou,
 * Huang, Zhang 2009, Comput. Stat. Data Anal. 53:1080).
 *
 * @param strata at least one, with weights that sum to 1.
 */
export function weightedNewcombeInterval(
  strata: readonly { control: RateCounts; variation: RateCounts; weight: number }[],
  alpha: number,
): Interval {
  const parts = strata.map(({ control, variation, weight }) => {
    const p0 = control.successes / control.trials;
    const p1 = variation.successes / variation.trials;
    const [lower0, upper0] = wilsonInterval(control, alpha);
    const [lower1, upper1] = wilsonInterval(variation, alpha);
    return {
      difference: weight * (p1 - p0),
      below: weight * Math.hypot(p1 - lower1, upper0 - p0),
      above: weight * Math.hypot(upper1 - p1, p0 - lower0),
    };
  });
  const difference = parts.reduce((sum, part) => sum + part.difference, 0);
  return [
    difference - Math.hypot(...parts.map(({ below }) => below)),
    difference + Math.hypot(...parts.map(({ above }) => above)),
  ];
}
