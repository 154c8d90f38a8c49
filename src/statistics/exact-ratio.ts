/** Enough bits beyond the 53 of a double for the remainder to decide the rounding. */
const QUOTIENT_BITS = 66;

/**
 * numerator / denominator, correctly rounded to the nearest double. Differences of large whole numbers keep all
 * their digits that way, where `Number(a) / Number(b) - Number(c) / Number(d)` loses them.
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
