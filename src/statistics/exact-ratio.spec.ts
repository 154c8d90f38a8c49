import * as fc from 'fast-check';
import { exactRatio } from './means';

const small = fc.integer({ min: -(2 ** 53), max: 2 ** 53 });

describe('exactRatio', () => {
  it('returns the double quotient if both numbers are exact doubles', () => {
    fc.assert(
      fc.property(small, fc.integer({ min: 1, max: 2 ** 53 }), (numerator, denominator) => {
        expect(exactRatio(BigInt(numerator), BigInt(denominator)) === numerator / denominator).toBe(true);
      }),
    );
  });

  it('returns the same double as parsing the decimal text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 60n }), fc.nat({ max: 80 }), (digits, places) => {
        expect(exactRatio(digits, 10n ** BigInt(places))).toBe(Number(`${digits}e-${places}`));
      }),
    );
  });

  it('rounds a tie to even, and anything above a tie up', () => {
    const half = 2n ** 53n + 1n;
    expect(exactRatio(half, 1n)).toBe(2 ** 53);
    expect(exactRatio(half * 10n ** 40n + 1n, 10n ** 40n)).toBe(2 ** 53 + 2);
  });

  it('requires a positive denominator', () => {
    expect(() => exactRatio(1n, 0n)).toThrow(RangeError);
    expect(() => exactRatio(1n, -1n)).toThrow(RangeError);
  });
});
