import Big from 'big.js';
import { MAX_VALUE } from '../common/limits';

/** Values are stored as integers, in ten-thousandths of the goal's unit. */
export const VALUE_SCALE = 10_000;

const DECIMAL = /^[+-]?\d{1,40}(?:\.\d{1,40})?$/;
const HALF_EVEN = 2;

/**
 * Converts a value to ten-thousandths of its unit, rounded half to even. Accepts numbers and decimal strings such as
 * `-12.5`.
 * @returns null if it is not a decimal or is beyond ±1,000,000,000
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

/** Formats a value in ten-thousandths of its unit as a decimal with four decimal places, such as `-12.5000`. */
export function decimalText(value: number): string {
  const digits = String(Math.abs(value)).padStart(5, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}
