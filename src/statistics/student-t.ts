import { tCdf, tQuantile } from './special-functions';

/** P(|T| >= |t|), 0 to 1, of Student's t with these degrees of freedom (above 0, need not be whole). */
export function tTwoSided(t: number, degreesOfFreedom: number): number {
  return Math.min(1, 2 * tCdf(-Math.abs(t), degreesOfFreedom));
}

/** The t with P(|T| >= t) = alpha, for 0 < alpha <= 1 and degrees of freedom above 0. */
export function tCritical(alpha: number, degreesOfFreedom: number): number {
  return -tQuantile(alpha / 2, degreesOfFreedom);
}
