import type { Effect } from './effect';
import { chanceAboveZero, credibleInterval, gaussianPosterior, lossBelowZero } from './gaussian-posterior';
import type { GoalTotals } from './input';
import type { Interval } from './result';

/** The posterior of a difference, as a normal distribution. */
export interface EffectPosterior {
  /** By the direction of the goal. */
  chanceToBeatOriginal: number;
  /** In the metric's unit. */
  expectedLoss: number;
  /** Of the difference. */
  interval: Interval;
  /** Standard deviation of the prior of the uplift, as a fraction; null for a flat one. */
  upliftPrior: number | null;
  /** The uplift that is most probable after the prior; null for a flat one. */
  shrunkUplift: number | null;
  /** Of the uplift after the prior; null for a flat one. */
  upliftInterval: Interval | null;
}

/** The standard deviation of the prior on the difference from a control; null for a flat one. */
export const priorDeviation = (control: number, upliftPrior: number | null): number | null =>
  upliftPrior === null || control === 0 ? null : upliftPrior * Math.abs(control);

/**
 * The posterior of a difference with its unpooled standard error. The prior is flat, or N(0, τ²) on the uplift, which
 * is N(0, (τ·|m0|)²) on the difference (GrowthBook, gbstats, bayesian/tests.py); flat too for a control of 0. Null
 * without an error.
 */
export function effectPosterior(
  { difference, standardError, control }: Effect,
  alpha: number,
  upliftPrior: number | null,
  direction: GoalTotals['direction'],
): EffectPosterior | null {
  if (!(standardError > 0)) {
    return null;
  }
  const size = Math.abs(control.value);
  const deviation = priorDeviation(control.value, upliftPrior);
  const tau = deviation === null ? null : upliftPrior;
  const prior = deviation === null ? undefined : { mean: 0, deviation };
  const posterior = gaussianPosterior(difference, standardError, prior);
  const improvement = direction === 'increase' ? posterior : { ...posterior, mean: -posterior.mean };
  const interval = credibleInterval(posterior, alpha);
  return {
    chanceToBeatOriginal: chanceAboveZero(improvement),
    expectedLoss: lossBelowZero(improvement),
    interval,
    upliftPrior: tau,
    shrunkUplift: tau === null ? null : posterior.mean / size,
    upliftInterval: tau === null ? null : [interval[0] / size, interval[1] / size],
  };
}
