import * as fc from 'fast-check';
import { percentileCap, winsorise } from './winsorising';

const oneTo = (n: number): bigint[] => Array.from({ length: n }, (_, i) => BigInt(i + 1)).reverse();

describe('percentileCap', () => {
  // Nearest rank by hand: the ⌈fraction·N⌉-th smallest. 0.07·100 is 7.000000000000001 in doubles.
  it.each([
    [0.99, 100, 99n],
    [0.07, 100, 7n],
    [0.95, 10, 10n],
    [0.5, 5, 3n],
    [1, 7, 7n],
    [0.001, 7, 1n],
  ])('at %d of 1..%d', (fraction, n, cap) => {
    expect(percentileCap(oneTo(n), fraction, false)).toBe(cap);
  });

  it('counts zeros unless told otherwise', () => {
    const totals = [0n, 0n, 0n, 0n, 0n, 0n, 10n, 20n, 30n, 40n];
    expect(percentileCap(totals, 0.5, false)).toBe(0n);
    expect(percentileCap(totals, 0.5, true)).toBe(20n);
  });

  it('has none to offer without totals', () => {
    expect(percentileCap([], 0.99, false)).toBeNull();
    expect(percentileCap([0n], 0.99, true)).toBeNull();
  });

  it('is an observed total that at least the fraction does not exceed, and the smallest such', () => {
    const totals = fc.array(fc.bigInt({ min: -50n, max: 50n }), { minLength: 1 });
    fc.assert(
      fc.property(totals, fc.integer({ min: 1, max: 100 }), (observed, percent) => {
        const cap = percentileCap(observed, percent / 100, false)!;
        const share = (limit: bigint): number => observed.filter((total) => total <= limit).length * 100;
        expect(observed).toContain(cap);
        expect(share(cap)).toBeGreaterThanOrEqual(percent * observed.length);
        expect(share(cap - 1n)).toBeLessThan(percent * observed.length);
      }),
    );
  });
});

describe('winsorise', () => {
  it('puts down what is above the cap, and leaves the lower side', () => {
    expect(winsorise([-90n, 0n, 5n, 6n, 100n], 5n)).toEqual([-90n, 0n, 5n, 5n, 5n]);
  });
});
