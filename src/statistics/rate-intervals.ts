import { normalCritical } from './distributions';
import type { Interval } from './result';
import type { Stratum } from './strata';

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

/** The two rates in each of one or more strata, with weights that sum to 1. */
export type WeightedRates = readonly (Stratum<RateCounts> & { weight: number })[];

/**
 * Newcombe's interval for the difference variation - control, as fractions within -1 and 1: the hybrid score interval
 * (1998, Stat. Med. 17:873, method 10), for several strata that of a weighted sum (Zou, Huang, Zhang 2009, Comput. Stat.
 * Data Anal. 53:1080). At least one trial on each side. It never has zero width, even with zero cells.
 */
export function newcombeInterval(strata: WeightedRates, alpha: number): Interval {
  const { control, variation } = weightedScores(strata, alpha);
  const difference = variation.rate - control.rate;
  return [
    difference - Math.hypot(variation.below, control.above),
    difference + Math.hypot(variation.above, control.below),
  ];
}

/**
 * The interval for the uplift p1/p0 - 1 that belongs to Newcombe's interval for the difference: all θ - 1 for which
 * Newcombe's interval for p1 - θ·p0 contains 0 (MOVER-R: Donner, Zou 2012, Stat. Methods Med. Res. 21:347). It excludes
 * 0 if and only if the interval of the difference does, whereas the delta method is too narrow for small counts. At
 * least -1, and finite; null if no one converted in the control.
 */
export function newcombeUpliftInterval(strata: WeightedRates, alpha: number): Interval | null {
  const { control, variation } = weightedScores(strata, alpha);
  if (control.rate === 0) {
    return null;
  }
  const product = control.rate * variation.rate;
  const reach = (above: number, below: number): number =>
    Math.sqrt((above * control.rate) ** 2 + (below * variation.rate) ** 2 - (above * below) ** 2);
  const smallest = variation.rate ** 2 - variation.below ** 2;
  const lowest = smallest > 0 ? smallest / (product + reach(variation.below, control.above)) : 0;
  const highest =
    (product + reach(variation.above, control.below)) / (control.rate ** 2 - control.below ** 2);
  return [lowest - 1, highest - 1];
}

/** A weighted mean of rates, and its distances from the ends of its interval. */
interface WeightedScore {
  rate: number;
  below: number;
  above: number;
}

function weightedScores(strata: WeightedRates, alpha: number): Stratum<WeightedScore> {
  const scoreOf = (side: keyof Stratum<RateCounts>): WeightedScore => {
    const parts = strata.map(({ [side]: counts, weight }) => {
      const rate = counts.successes / counts.trials;
      const [lower, upper] = wilsonInterval(counts, alpha);
      return { rate: weight * rate, below: weight * (rate - lower), above: weight * (upper - rate) };
    });
    return {
      rate: parts.reduce((sum, { rate }) => sum + rate, 0),
      below: Math.hypot(...parts.map(({ below }) => below)),
      above: Math.hypot(...parts.map(({ above }) => above)),
    };
  };
  return { control: scoreOf('control'), variation: scoreOf('variation') };
}
