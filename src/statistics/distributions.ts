import { erfc, erfcinv, gammainc, tCdf, tQuantile } from './special-functions';

/** P(Z <= z) for the standard normal distribution, 0 to 1, as erfc(-z/√2)/2, which is precise in the lower tail. */
export function normalCdf(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

/** The standard normal density at z. */
export function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * P(|Z| >= |z|), 0 to 1, as erfc(|z|/√2). It remains precise where `1 - cdf` has no correct digit, and is 0 only if |z|
 * is above about 38.
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

/** P(|T| >= |t|), 0 to 1, for Student's t with these degrees of freedom (above 0, not necessarily whole). */
export function tTwoSided(t: number, degreesOfFreedom: number): number {
  return Math.min(1, 2 * tCdf(-Math.abs(t), degreesOfFreedom));
}

/** The t with P(|T| >= t) = alpha, for 0 < alpha <= 1 and degrees of freedom above 0. */
export function tCritical(alpha: number, degreesOfFreedom: number): number {
  return -tQuantile(alpha / 2, degreesOfFreedom);
}

/** P(X >= chiSquare), 0 to 1, for the chi-square distribution: the upper regularised Γ(df/2, X²/2). */
export function chiSquareUpperTail(chiSquare: number, degreesOfFreedom: number): number {
  return gammainc(chiSquare / 2, degreesOfFreedom / 2, true, true);
}
