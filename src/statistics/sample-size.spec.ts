import r from './fixtures/r.json';
import { sampleSizeForMeans, sampleSizeForRates } from './sample-size';

describe('sampleSizeForRates', () => {
  it.each(r.sampleSizeOfRates.cases)(
    'agrees with power.prop.test on $p1 and $p2',
    ({ p1, p2, n, ...plan }) => {
      const size = sampleSizeForRates([p1, p2], plan);
      expect(size!.control / n).toBeCloseTo(1, 9);
      expect(size!.variation / n).toBeCloseTo(1, 9);
    },
  );

  // R documentation of power.prop.test: p1 = .50, p2 = .75, power = .90 gives n = 76.7.
  it("agrees with the sample size of 76.7 in R's documentation", () => {
    expect(sampleSizeForRates([0.5, 0.75], { alpha: 0.05, power: 0.9 })?.control).toBeCloseTo(76.7, 1);
  });

  it.each(r.unequalSampleSize.cases)('agrees with bsamsize on $p1 and $p2, 1 to $ratio', (expected) => {
    const { p1, p2, alpha, power, ratio, n1, n2 } = expected;
    const size = sampleSizeForRates([p1, p2], { alpha, power }, ratio);
    expect(size!.control / n1).toBeCloseTo(1, 9);
    expect(size!.variation / n2).toBeCloseTo(1, 9);
  });

  it('is null for equal rates', () => {
    expect(sampleSizeForRates([0.1, 0.1], { alpha: 0.05, power: 0.8 })).toBeNull();
  });
});

describe('sampleSizeForMeans', () => {
  // For Cohen's d of 0.5, 0.2 and 0.8, the formula with normal quantiles gives 2·(1.959964 + 0.841621)²/d² = 62.79,
  // 392.44 and 24.53.
  it.each([
    [0.5, 62.79],
    [0.2, 392.44],
    [-0.8, 24.53],
  ])('agrees with the formula for a difference of %d standard deviations', (difference, each) => {
    const size = sampleSizeForMeans(difference * 7, 7, { alpha: 0.05, power: 0.8 });
    expect(size!.control).toBeCloseTo(each, 2);
    expect(size!.variation).toBe(size!.control);
  });

  // R 4.2.2, power.t.test(delta, sd = 7, power = 0.8)$n: 63.76576 and 393.40666, which is z²/4 = 0.96 more than with
  // normal quantiles.
  it.each([
    [3.5, 63.76576],
    [1.4, 393.4057],
  ])('is about one less than in power.t.test for a difference of %d', (difference, n) => {
    const size = sampleSizeForMeans(difference, 7, { alpha: 0.05, power: 0.8 });
    expect(n - size!.control).toBeCloseTo(0.96, 1);
  });

  it('respects the ratio of the groups', () => {
    const equal = sampleSizeForMeans(1, 7, { alpha: 0.05, power: 0.8 })!;
    const unequal = sampleSizeForMeans(1, 7, { alpha: 0.05, power: 0.8 }, 0.25)!;
    expect(unequal.control / equal.control).toBeCloseTo(2.5, 12);
    expect(unequal.variation / equal.control).toBeCloseTo(0.625, 12);
  });

  it('is null if there is no difference', () => {
    expect(sampleSizeForMeans(0, 1, { alpha: 0.05, power: 0.8 })).toBeNull();
  });
});
