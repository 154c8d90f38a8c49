import Big from 'big.js';

/** Values are kept as integers of this fraction of the goal's unit. */
export const VALUE_SCALE = 10_000;

const MAX_VALUE = 1_000_000_000;
const DECIMAL = /^[+-]?\d{1,40}(?:\.\d{1,40})?$/;
const HALF_EVEN = 2;

/**
 * A value in 1/10,000 of its unit; further digits are rounded half to even. Takes numbers and decimals written as
 * text such as `-12.5`.
 * @returns null when it is no decimal or beyond ±1,000,000,000
 */
export function parseValue(given: unknown): number | null {
  if (Number.isSafeInteger(given)) {
    return Math.abs(given as number) <= MAX_VALUE ? (given as number) * VALUE_SCALE + 0 : null;
  }
  const isDecimal = typeof given === 'string' ? DECIMAL.test(given) : Number.isFinite(given);
  if (!isDecimal) {
    return null;
  }
  const value = new Big(typeof given === 'string' ? given.replace('+', '') : (given as number));
  return value.abs().gt(MAX_VALUE) ? null : value.times(VALUE_SCALE).round(0, HALF_EVEN).toNumber() + 0;
}
