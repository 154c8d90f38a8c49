import { gammainc } from './special-functions';

/** P(X >= chiSquare), 0 to 1, of the chi-square distribution: the upper regularised Γ(df/2, X²/2). */
export function chiSquareUpperTail(chiSquare: number, degreesOfFreedom: number): number {
  return gammainc(chiSquare / 2, degreesOfFreedom / 2, true, true);
}
