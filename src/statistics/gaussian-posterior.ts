import { normalCdf, normalCritical, normalDensity } from './distributions';
import type { Interval } from './result';

/** A normal distribution of an effect, in the unit of the effect. */
export interface GaussianEffect {
  mean: number;
  /** Standard deviation, above 0. */
  deviation: number;
}

/**
 * The posterior of an effect after an estimate with its standard error (above 0): with a flat prior the estimate
 * itself, with a normal prior the precision-weighted mean of the two.
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

/** E[max(-effect, 0)]: the expected loss of choosing it, at least 0, in the unit of the effect. */
export function lossBelowZero({ mean, deviation }: GaussianEffect): number {
  const u = mean / deviation;
  return deviation * Math.max(0, normalDensity(u) - u * normalCdf(-u));
}

/** The equal-tailed interval that holds the effect with probability 1 - alpha. */
export function credibleInterval({ mean, deviation }: GaussianEffect, alpha: number): Interval {
  const reach = normalCritical(alpha) * deviation;
  return [mean - reach, mean + reach];
}
