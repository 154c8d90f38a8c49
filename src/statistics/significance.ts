import Big from 'big.js';

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
