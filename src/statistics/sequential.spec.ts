import * as fc from 'fast-check';
import sequential from './fixtures/sequential.json';
import { rateVariance } from './rate-intervals';
import { relativeUplift } from './relative-uplift';
import { sequentialTest, TUNING } from './sequential';

describe('sequentialTest', () => {
  it.each(sequential.test.cases)(
    'agrees with the fixture for $difference ± $standardError at $participants participants',
    (expected) => {
      const { difference, standardError, participants, alpha } = expected;
      const result = sequentialTest(difference, standardError, participants, alpha, TUNING);
      expect(result.pValue / expected.pValue).toBeCloseTo(1, 9);
      expect(result.interval[0] / expected.interval[0]).toBeCloseTo(1, 9);
      expect(result.interval[1] / expected.interval[1]).toBeCloseTo(1, 9);
      expect(result.tuning).toBe(TUNING);
    },
  );

  // growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py, test_sequential_test_runs_prop: the same
  // confidence sequence with the same tuning, but of the relative uplift.
  it('agrees with gbstats on proportions', () => {
    const [control, variation] = [
      { successes: 1396, trials: 3000 },
      { successes: 2422, trials: 3461 },
    ];
    const before = { value: 1396 / 3000, variance: rateVariance(control) };
    const after = { value: 2422 / 3461, variance: rateVariance(variation) };
    const difference = after.value - before.value;
    const estimated = { difference, interval: [difference, difference] as const };
    const { uplift, standardError } = relativeUplift(before, after, estimated, 0)!;
    expect(uplift).toBeCloseTo(0.50386, 5);
    expect(standardError).toBeCloseTo(0.03386, 5);
    const { interval, pValue } = sequentialTest(uplift, standardError, 6461, 0.05, TUNING);
    expect(interval).toEqual([expect.closeTo(0.40098, 5), expect.closeTo(0.60675, 5)]);
    expect(pValue).toBeCloseTo(0, 5);
  });

  it('excludes 0 if and only if the p-value is below alpha', () => {
    const z = fc.double({ min: -8, max: 8, noNaN: true });
    const participants = fc.integer({ min: 2, max: 200_000_000 });
    const alpha = fc.constantFrom(0.5, 0.1, 0.05, 0.01, 0.0001);
    fc.assert(
      fc.property(z, participants, alpha, (deviations, count, error) => {
        const { interval, pValue } = sequentialTest(deviations * 0.01, 0.01, count, error, TUNING);
        fc.pre(Math.abs(pValue - error) > 1e-9 * error);
        expect(interval[0] > 0 || interval[1] < 0).toBe(pValue < error);
      }),
    );
  });

  it('requires more evidence than a test with a single look', () => {
    expect(sequentialTest(1.96, 1, 5000, 0.05, TUNING).pValue).toBeGreaterThan(0.05);
  });
});
