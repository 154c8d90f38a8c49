import r from './fixtures/r.json';
import { sampleSizeForMeans, sampleSizeForRates } from './sample-size';

describe('sampleSizeForRates', () => {
  it.each(r.sampleSizeOfRates.cases)(
    'agrees with power.prop.test on $p1 and $p2',
    ({ p1, p2, n, ...plan }) => {
      const each = Math.ceil(n);
      expect(sampleSizeForRates([p1, p2], plan)).toEqual({ control: each, variation: each });
    },
  );

  // R documentation of power.prop.test: p1 = .50, p2 = .75, power = .90 gives n = 76.7.
  it('asks for the 77 of the documentation of R', () => {
    expect(sampleSizeForRates([0.5, 0.75], { alpha: 0.05, power: 0.9 })?.control).toBe(77);
  });

  it.each(r.unequalSampleSize.cases)('agrees with bsamsize on $p1 and $p2, 1 to $ratio', (expected) => {
    const { p1, p2, alpha, power, ratio, n1, n2 } = expected;
    const control = Math.ceil(n1);
    expect(sampleSizeForRates([p1, p2], { alpha, power }, ratio)).toEqual({
      control,
      variation: Math.ceil(n2),
    });
  });

  it('knows no size that tells equal rates apart', () => {
    expect(sampleSizeForRates([0.1, 0.1], { alpha: 0.05, power: 0.8 })).toBeNull();
  });
});

describe('sampleSizeForMeans', () => {
  // Cohen's d of 0.5, 0.2 and 0.8 with normal quantiles: 2·(1.959964 + 0.841621)²/d² = 62.79, 392.44 and 24.53.
  it.each([
    [0.5, 63],
    [0.2, 393],
    [-0.8, 25],
  ])('for %d deviations', (difference, each) => {
    const size = sampleSizeForMeans(difference * 7, 7, { alpha: 0.05, power: 0.8 });
    expect(size).toEqual({ control: each, variation: each });
  });

  it('knows no size that shows no difference', () => {
    expect(sampleSizeForMeans(0, 1, { alpha: 0.05, power: 0.8 })).toBeNull();
  });
});
