import { bucketRanges } from '../build/bucketing';
import { assign, Rule, subjectOf } from '../evaluation';

/* Checks that bucketing is random, independent between experiments, and permanent. */

const VISITORS = [...Array(100_000).keys()].map(
  (index) => `0198f3f5-0000-7000-8000-${String(index).padStart(12, '0')}`,
);

/**
 * Upper critical values of the chi-square distribution for a probability of 0.001, by degrees of freedom: NIST/SEMATECH
 * e-Handbook of Statistical Methods, 1.3.6.7.4. The visitor ids are fixed, so every run has the same outcome.
 */
const CRITICAL: Record<number, number> = { 1: 10.828, 2: 13.816, 4: 18.467, 9: 27.877 };

const evenShares = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.floor(10_000 / count) + (index < 10_000 % count ? 1 : 0));

const ruleOf = (id: number, shares: number[], traffic = 10_000): Rule => ({
  key: `exp-${id}`,
  ranges: bucketRanges(shares, traffic),
  variations: shares.map((_, index) => index + 1),
});

const variationOf = (rule: Rule, visitor: string): number | null =>
  assign(rule, subjectOf(visitor, {})).variation;

function countsOf(rule: Rule): number[] {
  const counts = rule.variations.map(() => 0);
  for (const visitor of VISITORS) {
    counts[variationOf(rule, visitor)! - 1] += 1;
  }
  return counts;
}

const chiSquare = (observed: readonly number[], expected: readonly number[]): number =>
  observed.reduce((sum, count, index) => sum + (count - expected[index]) ** 2 / expected[index], 0);

describe.each([2, 3, 5])('100,000 visitors among %s variations', (count) => {
  it.each([1_001, 1_002, 77])('of experiment %s are split evenly within random variation', (id) => {
    const shares = evenShares(count);
    const expected = shares.map((share) => (share / 10_000) * VISITORS.length);
    const counts = countsOf(ruleOf(id, shares));
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(VISITORS.length);
    expect(chiSquare(counts, expected)).toBeLessThan(CRITICAL[count - 1]);
  });
});

it('visitors are split by uneven shares within random variation', () => {
  const shares = [9_000, 700, 300];
  const expected = shares.map((share) => (share / 10_000) * VISITORS.length);
  expect(chiSquare(countsOf(ruleOf(5, shares)), expected)).toBeLessThan(CRITICAL[2]);
});

it('visitors are split independently by each experiment', () => {
  const [first, second] = [ruleOf(1_001, evenShares(2)), ruleOf(1_002, evenShares(2))];
  const cells = [0, 0, 0, 0];
  for (const visitor of VISITORS) {
    cells[(variationOf(first, visitor)! - 1) * 2 + variationOf(second, visitor)! - 1] += 1;
  }
  const [a, b, c, d] = cells;
  const rows = [a + b, a + b, c + d, c + d];
  const columns = [a + c, b + d, a + c, b + d];
  const expected = rows.map((row, index) => (row * columns[index]) / VISITORS.length);
  expect(chiSquare(cells, expected)).toBeLessThan(CRITICAL[1]);
});

it('visitors keep their variations when traffic grows from 10 to 50 to 100 percent', () => {
  const sample = VISITORS.slice(0, 20_000);
  for (const shares of [evenShares(2), evenShares(3), evenShares(5), [9_999, 1]]) {
    const stages = [1_000, 5_000, 10_000].map((traffic) => ruleOf(9, shares, traffic));
    let taken = [0, 0, 0];
    for (const visitor of sample) {
      const seen = stages.map((rule) => variationOf(rule, visitor));
      const first = seen.findIndex((variation) => variation !== null);
      expect(first).toBeGreaterThanOrEqual(0);
      if (seen.slice(first).some((variation) => variation !== seen[first])) {
        throw new Error(`${visitor} saw ${seen.join(', ')}`);
      }
      taken = taken.map((count, stage) => count + Number(seen[stage] !== null));
    }
    const [tenth, half, all] = taken.map((count) => count / sample.length);
    expect(Math.abs(tenth - 0.1)).toBeLessThan(0.01);
    expect(Math.abs(half - 0.5)).toBeLessThan(0.01);
    expect(all).toBe(1);
  }
});
