import { smallestThat } from './bisection';
import { normalCdf, normalCritical, normalDensity, normalQuantile } from './distributions';
import type { Effect } from './effect';
import type { GoalTotals } from './input';
import type { Interval } from './result';

/** A normal distribution for an effect, in the unit of the effect. */
export interface GaussianEffect {
  mean: number;
  /** Standard deviation, above 0. */
  deviation: number;
}

/**
 * The posterior of an effect, given an estimate and its standard error (above 0). With a flat prior, the mean is the
 * estimate itself; with a normal prior, it is the precision-weighted mean of the estimate and the prior mean.
 */
export function gaussianPosterior(
  estimate: number,
  standardError: number,
  prior?: GaussianEffect,
): GaussianEffect {
  if (prior === undefined) {
    return { mean: estimate, deviation: standardError };
  }
  const known = 1 / standardError ** 2;
  const assumed = 1 / prior.deviation ** 2;
  const mean = (estimate * known + prior.mean * assumed) / (known + assumed);
  return { mean, deviation: 1 / Math.sqrt(known + assumed) };
}

/** P(effect > 0), 0 to 1. */
export function chanceAboveZero({ mean, deviation }: GaussianEffect): number {
  return normalCdf(mean / deviation);
}

/** E[max(-effect, 0)]: the expected loss from choosing the variation, at least 0, in the unit of the effect. */
export function lossBelowZero({ mean, deviation }: GaussianEffect): number {
  const u = mean / deviation;
  return deviation * Math.max(0, normalDensity(u) - u * normalCdf(-u));
}

/** The equal-tailed interval that contains the effect with probability 1 - alpha. */
export function credibleInterval({ mean, deviation }: GaussianEffect, alpha: number): Interval {
  const reach = normalCritical(alpha) * deviation;
  return [mean - reach, mean + reach];
}

/** The posterior of a difference, as a normal distribution. */
export interface EffectPosterior {
  /** Whether a higher or a lower value beats the original depends on the direction of the goal. */
  chanceToBeatOriginal: number;
  /** The expected loss from choosing the variation, in the metric's unit. */
  expectedLoss: number;
  /** Credible interval for the difference, in the metric's unit. */
  interval: Interval;
  /** Standard deviation of the prior for the uplift, as a fraction; null for a flat prior. */
  upliftPrior: number | null;
  /** The most probable uplift under the posterior; null for a flat prior. */
  shrunkUplift: number | null;
  /** Credible interval for the uplift under the posterior; null for a flat prior. */
  upliftInterval: Interval | null;
}

/** The standard deviation of the prior on the difference from a control; null for a flat prior. */
export const priorDeviation = (control: number, upliftPrior: number | null): number | null =>
  upliftPrior === null || control === 0 ? null : upliftPrior * Math.abs(control);

/**
 * The distance from 0, in standard errors, at which the Bayesian method decides for a difference: with a normal prior,
 * P(difference > 0) is Φ((d/SE)/√(1 + (SE/prior)²)), which must be at least 1 - alpha. One-sided, because a winner and
 * a loser each have the error probability alpha.
 *
 * @param prior the standard deviation of the prior on the difference; null for a flat prior.
 */
export const posteriorCritical = (alpha: number, standardError: number, prior: number | null): number =>
  -normalQuantile(alpha) * (prior === null ? 1 : Math.hypot(1, standardError / prior));

/**
 * The standard error at which the Bayesian method decides for a true difference (other than 0) with this power (at least
 * one half), if `alpha` is at most one half. Infinite if every standard error is small enough.
 */
export function decisiveError(
  difference: number,
  { alpha, power }: { alpha: number; power: number },
  prior: number | null,
): number {
  const size = Math.abs(difference);
  const needed = (standardError: number): number =>
    standardError * (posteriorCritical(alpha, standardError, prior) + normalQuantile(power));
  const withFlatPrior = size / (posteriorCritical(alpha, 0, null) + normalQuantile(power));
  return prior === null || withFlatPrior === Infinity
    ? withFlatPrior
    : smallestThat(0, withFlatPrior, (standardError) => needed(standardError) >= size);
}

/**
 * The posterior of a difference with its unpooled standard error. The prior is flat, or N(0, τ²) on the uplift, which
 * corresponds to N(0, (τ·|m0|)²) on the difference (GrowthBook, gbstats, bayesian/tests.py). If the control is 0, the
 * prior is flat in both cases. Null if the standard error is 0.
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
