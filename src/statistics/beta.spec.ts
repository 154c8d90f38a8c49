import * as fc from 'fast-check';
import { BetaPosterior, chancesToBeBest, compareBetas } from './beta-posterior';
import { differenceInterval, upliftInterval } from './beta-intervals';
import bayesian from './fixtures/bayesian.json';

/** Number of runs per property. The properties were also tested with thousands of runs. */
const RUNS = { numRuns: 40 };

const posterior = (successes: number, trials: number): BetaPosterior =>
  new BetaPosterior({ successes, trials });

const anyPosterior = fc
  .nat({ max: 100_000_000 })
  .chain((trials) => fc.tuple(fc.nat({ max: trials }), fc.constant(trials)))
  .map(([successes, trials]) => posterior(successes, trials));

describe('compareBetas', () => {
  it.each(bayesian.comparison.cases)(
    'agrees with the fixture for $x1/$n1 vs. $x0/$n0',
    ({ x0, n0, x1, n1, chance, loss }) => {
      const result = compareBetas(posterior(x1, n1), posterior(x0, n0));
      expect(result.chance).toBeCloseTo(chance, 11);
      expect((result.chance + 1e-15) / (chance + 1e-15)).toBeCloseTo(1, 9);
      expect(result.loss / loss).toBeCloseTo(1, 9);
    },
  );

  it('returns chances that sum to 1 for both orders', () => {
    fc.assert(
      fc.property(anyPosterior, anyPosterior, (a, b) => {
        expect(compareBetas(a, b).chance + compareBetas(b, a).chance).toBeCloseTo(1, 9);
      }),
      RUNS,
    );
  });

  it('returns losses whose difference is the difference between the means', () => {
    fc.assert(
      fc.property(anyPosterior, anyPosterior, (a, b) => {
        const net = compareBetas(b, a).loss - compareBetas(a, b).loss;
        expect(net).toBeCloseTo(a.mean - b.mean, 9);
      }),
      RUNS,
    );
  });
});

describe('the intervals of two posteriors', () => {
  /*
   * Expected values from R 4: uniroot (tol = 1e-16) on integrate(function(u) pbeta(qbeta(u, 4, 9999998) + d, 1, 11),
   * 0, 1, rel.tol = 1e-12). Both agree with qbeta(alpha / 2, 1, 11) - 4 / 10000002 to 1e-12.
   */
  it.each([
    [0.05, 0.00229857221409],
    [0.01, 0.000455181811679],
    [0.001, 4.50648796e-5],
    [0.0001, 4.14555813e-6],
  ])('converge for very unequal samples at an alpha of %s', (alpha, expected) => {
    const [wide, narrow] = [posterior(0, 10), posterior(3, 10_000_000)];
    expect(differenceInterval(narrow, wide, alpha)[0]).toBeCloseTo(expected, 11);
    expect(differenceInterval(wide, narrow, alpha)[1]).toBeCloseTo(-expected, 11);
  });

  it.each(bayesian.interval.cases)(
    'agree with the fixture for $x1/$n1 vs. $x0/$n0 at an alpha of $alpha',
    ({ x0, n0, x1, n1, alpha, difference, uplift }) => {
      const [control, variation] = [posterior(x0, n0), posterior(x1, n1)];
      const actual = differenceInterval(control, variation, alpha);
      expect(actual[0] / difference[0]).toBeCloseTo(1, 9);
      expect(actual[1] / difference[1]).toBeCloseTo(1, 9);
      const relative = upliftInterval(control, variation, alpha);
      expect(relative[0] / uplift[0]).toBeCloseTo(1, 9);
      expect(relative[1] / uplift[1]).toBeCloseTo(1, 9);
    },
  );

  it('are inverted if the arms are swapped', () => {
    fc.assert(
      fc.property(anyPosterior, anyPosterior, (a, b) => {
        const [there, back] = [differenceInterval(a, b, 0.05), differenceInterval(b, a, 0.05)];
        expect(back[0]).toBeCloseTo(-there[1], 9);
        const [up, down] = [upliftInterval(a, b, 0.05), upliftInterval(b, a, 0.05)];
        expect((1 + down[0]) * (1 + up[1])).toBeCloseTo(1, 6);
      }),
      RUNS,
    );
  });

  it('exclude 0 exactly when the chance to be better is below alpha / 2 or above 1 - alpha / 2', () => {
    fc.assert(
      fc.property(anyPosterior, anyPosterior, (a, b) => {
        const { chance } = compareBetas(b, a);
        fc.pre(Math.abs(chance - 0.975) > 1e-9 && Math.abs(chance - 0.025) > 1e-9);
        const [lower, upper] = differenceInterval(a, b, 0.05);
        const [lowest, highest] = upliftInterval(a, b, 0.05);
        expect([lower > 0, upper < 0]).toEqual([chance > 0.975, chance < 0.025]);
        expect([lowest > 0, highest < 0]).toEqual([chance > 0.975, chance < 0.025]);
      }),
      RUNS,
    );
  });
});

describe('the chances to be best', () => {
  it.each(bayesian.best.cases)('agree with the fixture for $arms', ({ arms, chances }) => {
    const rates = arms.map(([successes, trials]) => posterior(successes, trials));
    chancesToBeBest(rates, 'highest').forEach((chance, index) => {
      expect(chance).toBeCloseTo(chances[index], 10);
    });
  });

  it('equal the chances to beat each other if there are two rates', () => {
    fc.assert(
      fc.property(anyPosterior, anyPosterior, (a, b) => {
        expect(chancesToBeBest([a, b], 'highest')[0]).toBeCloseTo(compareBetas(a, b).chance, 9);
        expect(chancesToBeBest([a, b], 'lowest')[0]).toBeCloseTo(compareBetas(b, a).chance, 9);
      }),
      RUNS,
    );
  });

  it('sum to 1 for any number of arms', () => {
    fc.assert(
      fc.property(fc.array(anyPosterior, { minLength: 1, maxLength: 6 }), (rates) => {
        for (const best of ['highest', 'lowest'] as const) {
          const total = chancesToBeBest(rates, best).reduce((sum, chance) => sum + chance, 0);
          expect(total).toBeCloseTo(1, 9);
        }
      }),
      RUNS,
    );
  });
});
