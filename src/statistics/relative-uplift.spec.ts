import { normalCritical, tCritical } from './distributions';
import { effectOf, meanEffect } from './effect';
import r from './fixtures/r.json';
import { relativeUplift, upliftOf } from './relative-uplift';
import { welchTest } from './value-statistics';
import { meanEstimate } from './means';

/** A difference whose interval has zero width. */
const estimated = (difference: number) => ({ difference, interval: [difference, difference] as const });

describe('relativeUplift', () => {
  it.each(r.uplift.cases)('agrees with deltamethod for $m1 vs. $m0', ({ m0, v0, m1, v1, ...expected }) => {
    const control = { value: m0, variance: v0 };
    const result = relativeUplift(control, { value: m1, variance: v1 }, estimated(m1 - m0), 1.96);
    expect(result!.uplift / expected.uplift).toBeCloseTo(1, 11);
    expect(result!.standardError / expected.standardError).toBeCloseTo(1, 11);
    expect(result?.interval[1]).toBeCloseTo(expected.uplift + 1.96 * expected.standardError, 11);
  });

  // growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py, test_two_sided_ttest.
  it('agrees with gbstats on revenue', () => {
    const control = { participants: 3407, sum: 13_968_700n, sumOfSquares: 5_237_797_670_000n };
    const variation = { participants: 3461, sum: 24_227_000n, sumOfSquares: 13_469_829_000_000n };
    const test = welchTest(effectOf([meanEffect({ control, variation })]), 0.05)!;
    const critical = tCritical(0.05, test.degreesOfFreedom);
    const result = relativeUplift(meanEstimate(control), meanEstimate(variation), test, critical);
    expect(result?.uplift).toBeCloseTo(0.70732, 5);
    expect(result?.standardError).toBeCloseTo(0.37879, 5);
  });

  // The original has 60 of 1,000, and the variation none. The delta method then gives a standard error of 0, although
  // that of the difference is above 0.
  it('uses the interval of the difference if the delta method gives zero width', () => {
    const control = { value: 0.06, variance: (0.06 * 0.94) / 1000 };
    const estimate = { difference: -0.06, interval: [-0.0747, -0.0453] as const };
    const result = relativeUplift(control, { value: 0, variance: 0 }, estimate, 1.96);
    expect(result?.uplift).toBe(-1);
    expect(result?.interval[0]).toBeCloseTo(-1.245, 12);
    expect(result?.interval[1]).toBeCloseTo(-0.755, 12);
  });

  it('treats a less negative value as an improvement', () => {
    expect(upliftOf(1, -4)).toBe(0.25);
  });

  it('is not defined for a control of 0', () => {
    expect(upliftOf(1, 0)).toBeNull();
    const result = relativeUplift(
      { value: 0, variance: 1 },
      { value: 1, variance: 1 },
      estimated(1),
      normalCritical(0.05),
    );
    expect(result).toBeNull();
  });

  it('is unstable for a control less than 4 standard errors from 0', () => {
    const isUnstable = (value: number): boolean | undefined =>
      relativeUplift({ value, variance: 0.25 }, { value: 3, variance: 0 }, estimated(3 - value), 2)
        ?.isUnstable;
    expect([isUnstable(2), isUnstable(1.99), isUnstable(-2), isUnstable(-1.99)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });
});
