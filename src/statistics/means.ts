import { tCritical } from './distributions';
import type { Interval } from './result';

/**
 * Minimum number of bits of the quotient, give or take three, because `bitLength` rounds up to whole hexadecimal
 * digits. A double has 53; the additional bits and the remainder decide the rounding.
 */
const QUOTIENT_BITS = 66;

/**
 * numerator / denominator, correctly rounded to the nearest double. Differences of large whole numbers keep all of
 * their digits, whereas `Number(a) / Number(b) - Number(c) / Number(d)` loses them.
 *
 * @throws RangeError for a denominator that is not positive.
 */
export function exactRatio(numerator: bigint, denominator: bigint): number {
  if (denominator <= 0n) {
    throw new RangeError('The denominator must be positive.');
  }
  const size = numerator < 0n ? -numerator : numerator;
  const shift = Math.max(0, QUOTIENT_BITS + bitLength(denominator) - bitLength(size));
  const scaled = size << BigInt(shift);
  const quotient = scaled / denominator;
  const sticky = quotient * denominator === scaled ? 0n : 1n;
  const rounded = Number((quotient << 1n) | sticky) * 2 ** -(shift + 1);
  return numerator < 0n ? -rounded : rounded;
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}

/** Values are stored as whole numbers, in ten-thousandths of the goal's unit. */
export const VALUE_SCALE = 10_000n;

/** The values of n participants (n is a whole number), in ten-thousandths of the goal's unit. */
export interface ValueTotals {
  participants: number;
  sum: bigint;
  /** Sum over participants of the squared total. */
  sumOfSquares: bigint;
}

/** A mean or a rate, with the variance of the estimate. */
export interface Estimate {
  value: number;
  variance: number;
}

/**
 * n·Q - S², which is n(n-1) times the variance of the values, in squared ten-thousandths of the unit. Computed exactly,
 * because in doubles, the difference has no correct digit for values near 1e8 that vary by 1. Below 0 only for
 * impossible sums.
 */
export function scaledVariance({ participants, sum, sumOfSquares }: ValueTotals): bigint {
  return BigInt(participants) * sumOfSquares - sum * sum;
}

/** The mean per participant in the goal's unit; at least one participant. */
export function meanOf({ participants, sum }: ValueTotals): number {
  return exactRatio(sum, BigInt(participants) * VALUE_SCALE);
}

/**
 * The mean per participant in the goal's unit, and the variance s²/n of that mean with s² = (Q - S²/n)/(n-1).
 *
 * @throws RangeError for fewer than two participants.
 */
export function meanEstimate(totals: ValueTotals): Estimate {
  const n = BigInt(totals.participants);
  return {
    value: meanOf(totals),
    variance: exactRatio(scaledVariance(totals), n * n * (n - 1n) * VALUE_SCALE * VALUE_SCALE),
  };
}

/**
 * Mean of the variation minus mean of the control, in the goal's unit. Computed exactly, and rounded only once at the
 * end.
 */
export function meanDifference(control: ValueTotals, variation: ValueTotals): number {
  const n0 = BigInt(control.participants);
  const n1 = BigInt(variation.participants);
  return exactRatio(variation.sum * n0 - control.sum * n1, n0 * n1 * VALUE_SCALE);
}

/**
 * Student's interval for the mean per participant, in the goal's unit, for 0 < alpha < 1; null for fewer than two
 * participants and for impossible sums.
 */
export function meanInterval(totals: ValueTotals, alpha: number): Interval | null {
  if (totals.participants < 2 || scaledVariance(totals) < 0n) {
    return null;
  }
  const { value, variance } = meanEstimate(totals);
  const reach = tCritical(alpha, totals.participants - 1) * Math.sqrt(variance);
  return [value - reach, value + reach];
}
