import r from './fixtures/r.json';
import type { ArmTotals } from './input';
import { normalTwoSided } from './distributions';
import { ratioEstimate, type RatioTotals } from './ratio-metric';
import { ratioStatistics } from './ratio-statistics';
import { NOTHING } from './strata';

/**
 * The sums over participants with these numbers of conversions and these values, which have at most four decimal
 * places.
 */
function totalsOf(values: readonly number[], conversions: readonly number[]): RatioTotals {
  const y = values.map((value) => BigInt(Math.round(value * 10_000)));
  const n = conversions.map(BigInt);
  const sum = (terms: readonly bigint[]): bigint => terms.reduce((total, term) => total + term, 0n);
  return {
    participants: y.length,
    conversions: sum(n),
    sum: sum(y),
    conversionsSquared: sum(n.map((count) => count * count)),
    sumOfSquares: sum(y.map((value) => value * value)),
    sumOfProducts: sum(y.map((value, i) => value * n[i])),
  };
}

const armOf = (sums: RatioTotals): ArmTotals => ({
  ...NOTHING,
  participants: sums.participants,
  conversions: Number(sums.conversions),
  value: sums.sum,
  valueSquared: sums.sumOfSquares,
  conversionsSquared: sums.conversionsSquared,
  valueByConversions: sums.sumOfProducts,
});

const [first, second] = r.ratio.cases.map(({ y, n }) => totalsOf(y, n));

describe('a value per conversion', () => {
  it.each(r.ratio.cases)('of $ratio has the variance of its linearisation', ({ y, n, ratio, variance }) => {
    const estimate = ratioEstimate(totalsOf(y, n));
    expect(estimate!.value / ratio).toBeCloseTo(1, 11);
    expect(estimate!.variance / variance).toBeCloseTo(1, 11);
  });

  // The expected values come from the linearised variances of the two arms in R, as above, and a normal test of the
  // difference.
  it('is compared by a z test', () => {
    const [before, after] = r.ratio.cases;
    const error = Math.sqrt(before.variance + after.variance);
    const result = ratioStatistics(
      armOf(second),
      [{ control: armOf(first), variation: armOf(second) }],
      0.05,
    );
    expect(result?.estimate).toBeCloseTo(after.ratio, 11);
    expect(result!.standardError ** 2 / after.variance).toBeCloseTo(1, 10);
    expect(result?.interval[1]).toBeCloseTo(after.ratio + 1.959963984540054 * Math.sqrt(after.variance), 10);
    expect(result?.difference).toBeCloseTo(after.ratio - before.ratio, 11);
    expect(result?.uplift).toBeCloseTo(after.ratio / before.ratio - 1, 11);
    expect(result?.pValue).toBeCloseTo(normalTwoSided((after.ratio - before.ratio) / error), 11);
  });

  it('is not defined without conversions, or for one participant', () => {
    const none = totalsOf([0, 0], [0, 0]);
    expect(ratioEstimate(none)).toBeNull();
    expect(ratioEstimate(totalsOf([5], [1]))).toBeNull();
    expect(ratioStatistics(armOf(none), null, 0.05)).toBeNull();
    expect(ratioStatistics({ ...armOf(first), conversionsSquared: null }, null, 0.05)).toBeNull();
    const compared = ratioStatistics(armOf(first), [{ control: armOf(none), variation: armOf(first) }], 0.05);
    expect(compared).toMatchObject({ difference: null, uplift: null, pValue: null });
  });

  it('is not tested if every conversion has the same value', () => {
    const [five, seven] = [totalsOf([5, 10, 0], [1, 2, 0]), totalsOf([7, 7], [1, 1])].map(armOf);
    const result = ratioStatistics(seven, [{ control: five, variation: seven }], 0.05);
    expect(result).toMatchObject({ difference: 2, uplift: 0.4, pValue: null });
  });
});
