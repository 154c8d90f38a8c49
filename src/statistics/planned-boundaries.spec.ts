import { plannedCriticals, type LookTime } from './planned-boundaries';

/** Four equal looks. The errors follow from the variance of the score, relative to that of the first look. */
const looksWith = (variances: readonly number[], means: readonly number[]): LookTime[] =>
  variances.map((variance, k) => {
    const information = (k + 1) / 4;
    return { information, mean: means[k], error: Math.sqrt(variance) / information, isLast: k === 3 };
  });

const about = (numbers: readonly number[]): number[] =>
  numbers.map((number) => expect.closeTo(number, 5) as number);

describe('plannedCriticals', () => {
  const equal = [4.332634, 2.963132, 2.359044, 2.01409];

  // rpact 3.3.2, as in group-sequential.spec.ts.
  it('has the published boundaries if the values do not change', () => {
    expect(plannedCriticals(looksWith([1, 2, 3, 4], [99, 99, 99, 99]), 0.05)).toEqual(about(equal));
  });

  // From mvtnorm 1.1-3 in R 4.2.2: the error of four equal looks, and the correlations √(v_j/v_k), by uniroot on
  // pmvnorm(algorithm = Miwa).
  it('has higher boundaries if later values vary more', () => {
    const found = plannedCriticals(looksWith([1, 2, 6, 12], [99, 99, 99, 99]), 0.05);
    expect(found).toEqual(about([4.3326336, 2.9631316, 2.3852129, 2.0744353]));
  });

  it('does not depend on the mean if it is close to 0', () => {
    expect(plannedCriticals(looksWith([1, 2, 3, 4], [1, 30, -2, 50]), 0.05)).toEqual(about(equal));
  });
});
