import r from './fixtures/r.json';
import { compareRatios, ratioEstimate, type RatioTotals } from './ratio-metric';

/** The sums over participants with these values, of at most four decimal places, and numbers of conversions. */
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

const [first, second] = r.ratio.cases.map(({ y, n }) => totalsOf(y, n));

describe('a value per conversion', () => {
  it.each(r.ratio.cases)('of $ratio has the variance of its linearisation', ({ y, n, ratio, variance }) => {
    const estimate = ratioEstimate(totalsOf(y, n));
    expect(estimate!.value / ratio).toBeCloseTo(1, 11);
    expect(estimate!.variance / variance).toBeCloseTo(1, 11);
  });

  it('is compared by a z test', () => {
    const [before, after] = r.ratio.cases;
    const error = Math.sqrt(before.variance + after.variance);
    const result = compareRatios(first, second, 0.05);
    expect(result?.difference).toBeCloseTo(after.ratio - before.ratio, 11);
    expect(result?.standardError).toBeCloseTo(error, 11);
    expect(result?.interval[1]).toBeCloseTo(after.ratio - before.ratio + 1.959963984540054 * error, 10);
    expect(compareRatios(second, first, 0.05)?.pValue).toBe(result?.pValue);
  });

  it('is not defined without conversions, or for one participant', () => {
    expect(ratioEstimate(totalsOf([0, 0], [0, 0]))).toBeNull();
    expect(ratioEstimate(totalsOf([5], [1]))).toBeNull();
    expect(compareRatios(first, totalsOf([0, 0], [0, 0]), 0.05)).toBeNull();
  });

  it('is not compared when every conversion everywhere has the same value', () => {
    expect(compareRatios(totalsOf([5, 10, 0], [1, 2, 0]), totalsOf([7, 7], [1, 1]), 0.05)).toBeNull();
  });
});
