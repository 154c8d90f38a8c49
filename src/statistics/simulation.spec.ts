import { type Effect, effectOf, meanEffect, rateEffect } from './effect';
import { evaluate } from './evaluation';
import { experiment, goal, RULES, totals } from './fixtures/experiments';
import { meanStratum } from '../../bench/simulation/experiment';
import { plannedJudge } from '../../bench/simulation/judges';
import { Binomial, normalOf, randomOf, valueMoments, valueOf } from '../../bench/simulation/random';

const DRAWS = 20_000;

function momentsOf(numbers: readonly number[]): { mean: number; variance: number } {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return { mean, variance: numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length };
}

const drawn = (draw: () => number): number[] => Array.from({ length: DRAWS }, draw);

describe('the random numbers of the simulation', () => {
  // Checks the mean n·p and the variance n·p·(1-p), each within four standard errors.
  it.each([
    [40, 0.3],
    [5, 0.005],
    [10_000, 0.2],
  ])('are binomial for %d trials with probability %d', (trials, rate) => {
    const random = randomOf(1, 'binomial');
    const binomial = new Binomial(trials, rate);
    const { mean, variance } = momentsOf(drawn(() => binomial.draw(random)));
    const expected = trials * rate * (1 - rate);
    const fourth = 3 * expected ** 2 + expected * (1 - 6 * rate * (1 - rate));
    expect(Math.abs(mean - trials * rate)).toBeLessThan(4 * Math.sqrt(expected / DRAWS));
    expect(Math.abs(variance - expected)).toBeLessThan(4 * Math.sqrt((fourth - expected ** 2) / DRAWS));
  });

  // P(X = k) for three trials with probability 0.2 is 0.512, 0.384, 0.096 and 0.008.
  it('have the binomial probabilities', () => {
    const random = randomOf(2, 'binomial');
    const binomial = new Binomial(3, 0.2);
    const numbers = drawn(() => binomial.draw(random));
    [0.512, 0.384, 0.096, 0.008].forEach((probability, k) => {
      const share = numbers.filter((number) => number === k).length / DRAWS;
      expect(Math.abs(share - probability)).toBeLessThan(4 * Math.sqrt(probability / DRAWS));
    });
  });

  // E(exp(σZ)) = exp(σ²/2) for a standard normal Z; the mean of a Pareto distribution is a/(a - 1).
  it.each([
    [{ lognormal: 1 }, 1.6487],
    [{ pareto: 4 }, 4 / 3],
  ])('have the mean of %j', (distribution, expected) => {
    const random = randomOf(3, 'values');
    const { mean, variance } = momentsOf(drawn(valueOf(distribution, random, normalOf(random))));
    expect(Math.abs(mean - expected)).toBeLessThan(4 * Math.sqrt(variance / DRAWS));
    expect(valueMoments(distribution)[0]).toBeCloseTo(expected, 4);
  });

  it('depend only on the seed and the name', () => {
    const first = (seed: number, name: string): number => randomOf(seed, name)();
    expect(first(1, 'a')).toBe(first(1, 'a'));
    expect(new Set([first(1, 'a'), first(2, 'a'), first(1, 'b')]).size).toBe(3);
  });
});

describe('the rules of the simulation', () => {
  it('give the same effect as the server', () => {
    const sums = [
      { n: 10, sum: 42.5, sumOfSquares: 700.25 },
      { n: 25, sum: 130, sumOfSquares: 2_100 },
    ];
    const [control, variation] = sums.map(({ n, sum, sumOfSquares }) => ({
      participants: n,
      sum: BigInt(sum * 10_000),
      sumOfSquares: BigInt(sumOfSquares * 1e8),
    }));
    const expected = meanEffect({ control, variation });
    const found = meanStratum(sums[0], sums[1]);
    expect(found.difference).toBeCloseTo(expected.difference, 10);
    expect(found.pooledVariance).toBeCloseTo(expected.pooledVariance, 10);
    expect(found.control.variance).toBeCloseTo(expected.control.variance, 10);
    expect(found.variation.variance).toBeCloseTo(expected.variation.variance, 10);
  });

  it('give the same boundaries as the server', () => {
    const [days, firstLook] = [12, 4];
    const served = Array.from({ length: days }, (_, index) => criticalAfter(index + 1));
    const boundary = plannedJudge({ days, daily: 200 }).begin();
    const judged = served.map((_, index) =>
      index + 1 < firstLook ? null : boundary(index + 1, effectAfter(index + 1)),
    );
    expect(judged.slice(firstLook - 1)).toEqual(
      served.slice(firstLook - 1).map((critical) => expect.closeTo(critical!, 9) as number),
    );

    function effectAfter(day: number): Effect {
      const counts = { successes: 10, trials: 100 * day };
      return effectOf([rateEffect({ control: counts, variation: counts })]);
    }

    function criticalAfter(last: number): number | null | undefined {
      const looks = Array.from({ length: last }, (_, index) => ({
        date: `2026-05-${String(index + 1).padStart(2, '0')}`,
        daysRunning: index + 1,
        phases: goal([totals(100 * (index + 1), 10), totals(100 * (index + 1), 10)]).phases,
      }));
      const shares = new Map([
        [1, 50],
        [2, 50],
      ]);
      const gates = { minConversions: 0, minRuntimeDays: firstLook };
      const plan = { participants: 200 * days, shares, end: null, removedOn: null, ...gates };
      const counted = goal([totals(100 * last, 10), totals(100 * last, 10)], { looks });
      const rules = { ...RULES, method: 'planned' as const };
      const [, variation] = evaluate(experiment([counted], { plan, rules }))[0];
      return variation.statistics.planned?.criticalValue;
    }
  });
});
