import { erfc, erfcinv } from './special-functions';

/** P(Z <= z) of the standard normal distribution, 0 to 1, as erfc(-z/√2)/2: precise in the lower tail. */
export function normalCdf(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

/** The standard normal density at z. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * P(|Z| >= |z|), 0 to 1, as erfc(|z|/√2). It stays precise where `1 - cdf` has no digit left, and is 0 only beyond
 * |z| of about 38.
 */
export function normalTwoSided(z: number): number {
  return erfc(Math.abs(z) / Math.SQRT2);
}

/** The z with P(Z <= z) = probability; -Infinity at 0 and Infinity at 1. Precise for tiny probabilities. */
export function normalQuantile(probability: number): number {
  return -Math.SQRT2 * erfcinv(2 * probability);
}

/** The z with P(|Z| >= z) = alpha, for 0 < alpha <= 1: 1.96 for 0.05. */
export function normalCritical(alpha: number): number {
  return -normalQuantile(alpha / 2);
}
