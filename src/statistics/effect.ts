import {
  exactRatio,
  type Estimate,
  meanDifference,
  meanEstimate,
  scaledVariance,
  VALUE_SCALE,
  type ValueTotals,
} from './means';
import { type RateCounts, rateVariance } from './rate-intervals';
import type { Stratum } from './strata';

/** The difference in one stratum, in the metric's unit. */
export interface StratumEffect {
  participants: Stratum<number>;
  control: Estimate;
  variation: Estimate;
  /** Variation - control. This can be more precise than the difference between the two estimates. */
  difference: number;
  /** The variance that the difference would have if both variations had the same distribution. */
  pooledVariance: number;
}

/** The difference over all strata, in which each stratum has the weight n1·n0/(n1 + n0). */
export interface Effect {
  control: Estimate;
  variation: Estimate;
  /** The mean over all participants in both variations. */
  mean: number;
  /** Variation - control. */
  difference: number;
  /** Standard error of the difference, not pooled. */
  standardError: number;
  /**
   * Standard error of the difference, using the larger of the pooled and the unpooled error in each stratum. At least
   * `standardError`.
   */
  largestError: number;
  /** The number of participants in both variations. */
  participants: number;
  /** Sum of n1·n0/(n1 + n0) over the strata. */
  information: number;
  /**
   * The weighted variance that each variation contributes in each stratum, and the degrees of freedom of its estimate.
   */
  parts: readonly { variance: number; degreesOfFreedom: number }[];
}

/**
 * Combines the differences in the strata: d = Σ w_k d_k and SE² = Σ w_k² SE_k² with w_k proportional to n1k·n0k/(n1k +
 * n0k), the weights of Mantel and Haenszel (1959, JNCI 22:719). Requires at least one stratum, each with at least one
 * participant on both sides.
 */
export function effectOf(strata: readonly StratumEffect[]): Effect {
  const sizes = strata.map(({ participants }) => informationOf(participants));
  const size = sizes.reduce((sum, own) => sum + own, 0);
  const weights = sizes.map((own) => own / size);
  const weighted = (f: (stratum: StratumEffect) => number, power: 1 | 2): number =>
    strata.reduce((sum, stratum, k) => sum + weights[k] ** power * f(stratum), 0);
  const unpooled = (stratum: StratumEffect): number => stratum.control.variance + stratum.variation.variance;
  return {
    control: {
      value: weighted(({ control }) => control.value, 1),
      variance: weighted(({ control }) => control.variance, 2),
    },
    variation: {
      value: weighted(({ variation }) => variation.value, 1),
      variance: weighted(({ variation }) => variation.variance, 2),
    },
    mean: weighted(meanIn, 1),
    difference: weighted(({ difference }) => difference, 1),
    standardError: Math.sqrt(weighted(unpooled, 2)),
    largestError: Math.sqrt(weighted((stratum) => Math.max(stratum.pooledVariance, unpooled(stratum)), 2)),
    participants: strata.reduce((sum, { participants: n }) => sum + n.control + n.variation, 0),
    information: size,
    parts: strata.flatMap(({ participants, control, variation }, k) => [
      { variance: weights[k] ** 2 * control.variance, degreesOfFreedom: participants.control - 1 },
      { variance: weights[k] ** 2 * variation.variance, degreesOfFreedom: participants.variation - 1 },
    ]),
  };
}

const meanIn = ({ participants: n, control, variation }: StratumEffect): number =>
  (n.control * control.value + n.variation * variation.value) / (n.control + n.variation);

/** n1·n0/(n1 + n0). The precision of a difference is proportional to it. 0 if a side is empty. */
export function informationOf({ control, variation }: Stratum<number>): number {
  return control + variation > 0 ? (control * variation) / (control + variation) : 0;
}

/** The effect on conversion rates in one stratum, with at least one trial on each side. */
export function rateEffect({ control, variation }: Stratum<RateCounts>): StratumEffect {
  const trials = control.trials + variation.trials;
  const rate = (control.successes + variation.successes) / trials;
  return {
    participants: { control: control.trials, variation: variation.trials },
    control: rateEstimate(control),
    variation: rateEstimate(variation),
    difference: variation.successes / variation.trials - control.successes / control.trials,
    pooledVariance: rate * (1 - rate) * (1 / control.trials + 1 / variation.trials),
  };
}

/** A conversion rate with the variance p(1-p)/n of the estimate; at least one trial. */
const rateEstimate = (counts: RateCounts): Estimate => ({
  value: counts.successes / counts.trials,
  variance: rateVariance(counts),
});

/**
 * The effect on means per participant in one stratum, in the goal's unit; at least two participants on each side. The
 * pooled variance is the variance within the two variations, with n0 + n1 - 2 degrees of freedom.
 */
export function meanEffect({ control, variation }: Stratum<ValueTotals>): StratumEffect {
  const [n0, n1] = [control.participants, variation.participants];
  const within = (spreadOf(control) + spreadOf(variation)) / (n0 + n1 - 2);
  return {
    participants: { control: n0, variation: n1 },
    control: meanEstimate(control),
    variation: meanEstimate(variation),
    difference: meanDifference(control, variation),
    pooledVariance: within * (1 / n0 + 1 / n1),
  };
}

/** The sum of squared deviations from the mean, Q - S²/n, in the square of the goal's unit. */
const spreadOf = (totals: ValueTotals): number =>
  exactRatio(scaledVariance(totals), BigInt(totals.participants) * VALUE_SCALE ** 2n);
