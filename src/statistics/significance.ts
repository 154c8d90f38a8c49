import Big from 'big.js';
import type { DecisionRules } from './input';

/** A significance in percent (0 to 100, both excluded) as the nearest double to that fraction: 95 is 0.95. */
export function significanceFraction(percent: number): number {
  return new Big(percent).div(100).toNumber();
}

/**
 * The error probability for a significance in percent (0 to 100, both excluded): 95 is exactly the double 0.05, which
 * `1 - 0.95` is not.
 */
export function alphaOf(percent: number): number {
  return new Big(100).minus(percent).div(100).toNumber();
}

/**
 * The error probability of one of several comparisons: with a correction, its share. Looks and forecasts cannot be
 * adjusted by the p-values of other comparisons.
 */
export const correctedAlpha = (
  { method, correction, significance }: Pick<DecisionRules, 'method' | 'correction' | 'significance'>,
  comparisons: number,
): number =>
  correction === 'none' || method === 'bayesian'
    ? alphaOf(significance)
    : alphaOf(significance) / Math.max(1, comparisons);
