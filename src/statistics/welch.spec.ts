import * as fc from 'fast-check';
import r from './fixtures/r.json';
import { meanDifference, meanEstimate, meanInterval, meanOf, type ValueTotals } from './means';
import { effectOf, meanEffect } from './effect';
import { welchTest, type WelchTest } from './value-statistics';

/** The sums of values that have at most four decimal places. */
function totalsOf(values: readonly number[]): ValueTotals {
  const scaled = values.map((value) => BigInt(Math.round(value * 10_000)));
  return {
    participants: scaled.length,
    sum: scaled.reduce((sum, value) => sum + value, 0n),
    sumOfSquares: scaled.reduce((sum, value) => sum + value * value, 0n),
  };
}

const welch = (control: ValueTotals, variation: ValueTotals, alpha: number): WelchTest | null =>
  welchTest(effectOf([meanEffect({ control, variation })]), alpha);

const values = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 2, maxLength: 20 });

describe('welchTest', () => {
  it.each(r.welch.cases)('agrees with t.test: t = $t', (expected) => {
    const test = welch(totalsOf(expected.y0), totalsOf(expected.y1), 0.05);
    expect(test?.difference).toBeCloseTo(expected.difference, 12);
    expect(test!.standardError / expected.standardError).toBeCloseTo(1, 11);
    expect(test!.t / expected.t).toBeCloseTo(1, 11);
    expect(test!.degreesOfFreedom / expected.degreesOfFreedom).toBeCloseTo(1, 11);
    expect(test!.pValue / expected.pValue).toBeCloseTo(1, 10);
    expect(test?.interval[0]).toBeCloseTo(expected.interval[0], 10);
    expect(test?.interval[1]).toBeCloseTo(expected.interval[1], 10);
  });

  // R documentation of t.test, extra ~ group, data = sleep: t = -1.8608, df = 17.776, p-value = 0.07939.
  it("agrees with R's documentation on the data set sleep", () => {
    const { y0, y1 } = r.welch.cases[0];
    const test = welch(totalsOf(y1), totalsOf(y0), 0.05);
    expect(test?.t).toBeCloseTo(-1.8608, 4);
    expect(test?.degreesOfFreedom).toBeCloseTo(17.776, 3);
    expect(test?.pValue).toBeCloseTo(0.07939, 5);
    expect(test?.interval).toEqual([expect.closeTo(-3.3654832, 7), expect.closeTo(0.2054832, 7)]);
  });

  // growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py, test_two_sided_ttest_absolute.
  it('agrees with gbstats on revenue', () => {
    const control = { participants: 3407, sum: 13_968_700n, sumOfSquares: 5_237_797_670_000n };
    const variation = { participants: 3461, sum: 24_227_000n, sumOfSquares: 13_469_829_000_000n };
    const test = welch(control, variation, 0.05);
    expect(test?.difference).toBeCloseTo(0.29, 5);
    expect(test?.standardError).toBeCloseTo(0.12478, 5);
    expect(test?.pValue).toBeCloseTo(0.02016, 5);
    expect(test?.interval).toEqual([expect.closeTo(0.04538, 5), expect.closeTo(0.53462, 5)]);
  });

  // n·Q - S² of 10^6 values, half of them 10^8 + 1 and half 10^8 - 1, is exactly n², so the variance of the mean is
  // 1/(n-1).
  it('keeps every digit where doubles would lose all of them', () => {
    const n = 1_000_000n;
    const mean = 1_000_000_000_000n;
    const spread = 10_000n;
    const totals = {
      participants: Number(n),
      sum: n * mean,
      sumOfSquares: (n / 2n) * ((mean + spread) ** 2n + (mean - spread) ** 2n),
    };
    expect(meanEstimate(totals)).toEqual({ value: 1e8, variance: 1 / 999_999 });
    expect(meanDifference(totals, { ...totals, sum: totals.sum + 1n })).toBe(1e-10);
  });

  it('uses the degrees of freedom of the arm that varies if the other does not', () => {
    const test = welch(totalsOf([2, 2, 2, 2, 2]), totalsOf([1, 2, 3]), 0.05);
    expect(test?.degreesOfFreedom).toBe(2);
  });

  it('is not defined if neither arm varies, or for impossible sums', () => {
    expect(welch(totalsOf([2, 2]), totalsOf([3, 3, 3]), 0.05)).toBeNull();
    const impossible = { participants: 4, sum: 100n, sumOfSquares: 1n };
    expect(welch(impossible, totalsOf([1, 2]), 0.05)).toBeNull();
  });

  it('only changes the sign of the difference if the arms are swapped', () => {
    fc.assert(
      fc.property(values, values, (y0, y1) => {
        const there = welch(totalsOf(y0), totalsOf(y1), 0.05);
        const back = welch(totalsOf(y1), totalsOf(y0), 0.05);
        expect(back?.pValue).toBe(there?.pValue);
        expect(back === null ? 0 : back.difference + there!.difference).toBe(0);
      }),
    );
  });

  it('excludes 0 from the interval exactly when the p-value is below alpha', () => {
    fc.assert(
      fc.property(values, values, (y0, y1) => {
        const test = welch(totalsOf(y0), totalsOf(y1), 0.2);
        fc.pre(test !== null && Math.abs(test.pValue - 0.2) > 1e-9);
        const [lower, upper] = test.interval;
        expect(lower > 0 || upper < 0).toBe(test.pValue < 0.2);
      }),
    );
  });
});

describe('one mean', () => {
  it.each(r.welch.cases)('has the same interval as in t.test', ({ y0, intervalOfFirst }) => {
    const interval = meanInterval(totalsOf(y0), 0.05);
    expect(interval?.[0]).toBeCloseTo(intervalOfFirst[0], 11);
    expect(interval?.[1]).toBeCloseTo(intervalOfFirst[1], 11);
  });

  it('has no interval for one participant or for impossible sums', () => {
    expect(meanInterval(totalsOf([7]), 0.05)).toBeNull();
    expect(meanInterval({ participants: 0, sum: 0n, sumOfSquares: 0n }, 0.05)).toBeNull();
    expect(meanInterval({ participants: 4, sum: 100n, sumOfSquares: 1n }, 0.05)).toBeNull();
    expect(meanOf(totalsOf([7]))).toBe(7);
  });
});
