import * as fc from 'fast-check';
import { effectOf, rateEffect } from './effect';
import { fisherExact, compareRates, compareStratifiedRates, mantelHaenszel } from './rate-comparison';
import r from './fixtures/r.json';
import {
  newcombeInterval,
  newcombeUpliftInterval,
  type RateCounts,
  waldInterval,
  wilsonInterval,
} from './rate-intervals';

const rate = (successes: number, trials: number): RateCounts => ({ successes, trials });

const newcombe = (control: RateCounts, variation: RateCounts) =>
  newcombeInterval([{ control, variation, weight: 1 }], 0.05);

const counts = fc
  .nat({ max: 100_000 })
  .chain((n) => fc.record({ trials: fc.constant(n + 1), successes: fc.nat({ max: n + 1 }) }));

describe('compareRates', () => {
  it.each(r.pooledZ.cases)(
    'agrees with prop.test for $x1/$n1 vs. $x0/$n0',
    ({ x0, n0, x1, n1, ...expected }) => {
      const result = compareRates(rate(x0, n0), rate(x1, n1), 0.05);
      expect(result).toMatchObject({ test: 'z-pooled', intervalMethod: 'wald' });
      expect(result.pValue / expected.pValue).toBeCloseTo(1, 9);
      expect(result.interval[0]).toBeCloseTo(expected.interval[0], 12);
      expect(result.interval[1]).toBeCloseTo(expected.interval[1], 12);
    },
  );

  // An expected count of exactly 5 is enough (Cochran's rule): 10 of 200 over two groups of 100.
  it('uses the exact test for an expected count below 5, but not for exactly 5', () => {
    expect(compareRates(rate(2, 100), rate(8, 100), 0.05).test).toBe('z-pooled');
    expect(compareRates(rate(2, 100), rate(7, 100), 0.05).test).toBe('fisher');
    expect(compareRates(rate(98, 100), rate(92, 100), 0.05).test).toBe('z-pooled');
    expect(compareRates(rate(98, 100), rate(93, 100), 0.05).test).toBe('fisher');
  });

  it.each([
    [0, 0],
    [100, 40],
  ])('finds no difference if all rates are 0 or all are 1: %d and %d', (x0, x1) => {
    const result = compareRates(rate(x0, 100), rate(x1, 40), 0.05);
    expect(result).toMatchObject({ difference: 0, standardError: 0, pValue: 1, intervalMethod: 'newcombe' });
    expect(result.interval[0]).toBeLessThan(0);
    expect(result.interval[1]).toBeGreaterThan(0);
  });

  // Wald's interval has zero width here. Wilson's upper limit for 0 of n (Newcombe 1998, Stat. Med. 17:857) is z²/(n +
  // z²) = 0.0369935, with the normal quantile of Python's statistics module. The lower end of the interval is 1 - √2 ·
  // 0.0369935 = 0.9476833.
  it("has Newcombe's interval for rates of exactly 0 and 1", () => {
    const result = compareRates(rate(0, 100), rate(100, 100), 0.05);
    expect(result).toMatchObject({ test: 'z-pooled', standardError: 0, intervalMethod: 'newcombe' });
    expect(result.interval).toEqual([expect.closeTo(0.9476832931, 9), 1]);
  });

  it('only changes the sign of the difference if the arms are swapped', () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const [there, back] = [compareRates(a, b, 0.05), compareRates(b, a, 0.05)];
        expect(back.pValue).toBeCloseTo(there.pValue, 10);
        expect(back.difference).toBeCloseTo(-there.difference, 14);
        expect(back.interval[0]).toBeCloseTo(-there.interval[1], 14);
      }),
    );
  });

  it('always returns a probability and an interval around the difference', () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const { pValue, interval, difference } = compareRates(a, b, 0.05);
        expect(pValue >= 0 && pValue <= 1).toBe(true);
        expect(interval[0] <= difference && difference <= interval[1]).toBe(true);
      }),
    );
  });
});

describe('fisherExact', () => {
  it.each(r.fisher.cases)('agrees with fisher.test for $x1/$n1 vs. $x0/$n0', ({ x0, n0, x1, n1, pValue }) => {
    expect(fisherExact(x0, n0, x1, n1) / pValue).toBeCloseTo(1, 9);
  });

  // Fisher (1935), The Design of Experiments, chapter 2, the lady tasting tea: 3 of 4 correct; p = 34/70.
  it("agrees with Fisher's tea-tasting experiment", () => {
    expect(fisherExact(3, 4, 1, 4)).toBeCloseTo(34 / 70, 14);
  });

  // R documentation of fisher.test, criminal convictions of like-sex twins: p-value = 0.0005367.
  it("agrees with R's example of twins' convictions", () => {
    expect(fisherExact(2, 17, 10, 13)).toBeCloseTo(0.0005367, 7);
  });

  it('includes tables that are as rare as the observed one, so counting failures gives the same p-value', () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const failures = fisherExact(a.trials - a.successes, a.trials, b.trials - b.successes, b.trials);
        expect(fisherExact(a.successes, a.trials, b.successes, b.trials)).toBeCloseTo(failures, 9);
      }),
    );
  });
});

describe('wilsonInterval', () => {
  it.each(r.wilson.cases)('agrees with prop.test on $x of $n', ({ x, n, interval }) => {
    const [lower, upper] = wilsonInterval(rate(x, n), 0.05);
    expect(lower).toBeCloseTo(interval[0], 12);
    expect(upper).toBeCloseTo(interval[1], 12);
  });

  // Newcombe (1998), Stat. Med. 17:857, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('agrees with the published interval for %d of %d', (x, n, lower, upper) => {
    expect(wilsonInterval(rate(x, n), 0.05)).toEqual([
      expect.closeTo(lower, 4) as number,
      expect.closeTo(upper, 4) as number,
    ]);
  });

  it('ends exactly at 0 only if no one converted, at 1 only if everyone did, and never beyond', () => {
    fc.assert(
      fc.property(counts, (a) => {
        const [lower, upper] = wilsonInterval(a, 0.05);
        expect(lower >= 0 && upper <= 1 && lower < upper).toBe(true);
        expect([lower === 0, upper === 1]).toEqual([a.successes === 0, a.successes === a.trials]);
      }),
    );
  });
});

describe('newcombeInterval', () => {
  // Newcombe (1998), Stat. Med. 17:873, table II, method 10; the first group is the minuend.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])('agrees with the published interval for %d/%d vs. %d/%d', (x1, n1, x0, n0, lower, upper) => {
    expect(newcombe(rate(x0, n0), rate(x1, n1))).toEqual([
      expect.closeTo(lower, 4) as number,
      expect.closeTo(upper, 4) as number,
    ]);
  });
});

describe('newcombeUpliftInterval', () => {
  const uplift = (control: RateCounts, variation: RateCounts) =>
    newcombeUpliftInterval([{ control, variation, weight: 1 }], 0.05);

  // R 4.2.2: uniroot in t on the ends of Newcombe's interval for p1 - t*p0, with the limits of prop.test(x, n, correct =
  // FALSE) for each rate, minus 1.
  it.each([
    [57, 1140, 1, 60, -0.94154089318896, 0.82831030018],
    [1, 60, 57, 1140, -0.45304689258663, 16.1059743],
    [7, 100, 2, 100, -0.931636915675, 0.23943174832],
    [57, 1140, 0, 60, -1, 0.23486760705],
    [4700, 4750, 250, 250, -0.004866609289, 0.01404431938],
    [100, 100, 0, 100, -1, -0.9629811626313],
    [1, 60, 9, 60, 0.46066119037757, 52.7068069],
  ])('contains all ratios whose difference can be 0, for %d/%d and %d/%d', (x0, n0, x1, n1, lower, upper) => {
    const [lowest, highest] = uplift(rate(x0, n0), rate(x1, n1))!;
    expect([lowest, highest]).toEqual([expect.closeTo(lower, 9), expect.closeTo(upper, 6)]);
  });

  it('excludes 0 exactly when the interval of the difference does', () => {
    fc.assert(
      fc.property(counts, counts, (control, variation) => {
        fc.pre(control.successes > 0);
        const difference = newcombe(control, variation);
        // Rounding can change the sign of an end that is 0.
        fc.pre(difference.every((end) => Math.abs(end) > 1e-12));
        const relative = uplift(control, variation)!;
        expect(relative.map(Math.sign)).toEqual(difference.map(Math.sign));
        expect(relative[0]).toBeGreaterThanOrEqual(-1);
        expect(Number.isFinite(relative[1])).toBe(true);
      }),
    );
  });

  it('is not defined for a control of 0', () => {
    expect(uplift(rate(0, 60), rate(1, 60))).toBeNull();
  });
});

describe('compareStratifiedRates', () => {
  // The limits are computed in Python by the method of Zou, Huang, Zhang (2009). For 0 of n, Wilson's limits are 0 and
  // z²/(n + z²); the weights of the strata are 20/29 and 9/29.
  it.each([
    [[0, 0], [0, 0], 0, -0.0617496745404229, 0.105214795607177],
    [[40, 90], [0, 0], -1, -1, -0.878003379061106],
  ])("has Newcombe's interval if all rates are 0 or 1: %j vs. %j", (x0, x1, difference, lower, upper) => {
    const strata = [
      { control: rate(x0[0], 40), variation: rate(x1[0], 40) },
      { control: rate(x0[1], 90), variation: rate(x1[1], 10) },
    ];
    const result = compareStratifiedRates(strata, effectOf(strata.map(rateEffect)), 0.05);
    expect(result).toMatchObject({ standardError: 0, difference, intervalMethod: 'newcombe' });
    expect(result.interval).toEqual([expect.closeTo(lower, 12), expect.closeTo(upper, 12)]);
  });
});

describe('waldInterval', () => {
  it("has zero width for zero cells, where Newcombe's interval replaces it", () => {
    expect(waldInterval(rate(0, 10), rate(0, 20), 0.05)).toEqual([0, 0]);
  });
});

const ofArms = (control: readonly [number, number][], variation: readonly [number, number][]) =>
  control.map(([x0, n0], k) => ({
    control: { successes: x0, trials: n0 },
    variation: { successes: variation[k][0], trials: variation[k][1] },
  }));

describe('mantelHaenszel', () => {
  // The p-values are from R 4.2.2, mantelhaen.test(table, correct = FALSE)$p.value.
  it.each([
    [
      [
        [450, 9000],
        [80, 1000],
      ],
      [
        [50, 1000],
        [80, 1000],
      ],
      1,
    ],
    [
      [
        [412, 5120],
        [30, 700],
      ],
      [
        [470, 5100],
        [3, 41],
      ],
      0.0294337474148134,
    ],
    [
      [
        [3, 50],
        [0, 7],
        [12, 90],
      ],
      [
        [9, 55],
        [2, 9],
        [30, 180],
      ],
      0.0926343655791599,
    ],
    [
      [
        [100, 1000],
        [0, 20],
      ],
      [
        [160, 1100],
        [5, 20],
      ],
      0.000549393813599384,
    ],
  ] as [[number, number][], [number, number][], number][])('agrees with R for %j vs. %j', (x0, x1, p) => {
    expect(mantelHaenszel(ofArms(x0, x1))).toBeCloseTo(p, 12);
  });

  it('finds no difference if no one or everyone converted', () => {
    expect(
      mantelHaenszel(
        ofArms(
          [
            [0, 5],
            [7, 7],
          ],
          [
            [0, 9],
            [2, 2],
          ],
        ),
      ),
    ).toBe(1);
  });
});
