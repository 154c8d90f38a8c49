import { effectOf, meanEffect, rateEffect } from './effect';
import { evaluate } from './evaluation';
import { arm, experiment, goal, purchases, RULES, second, totals, valueGoal } from './fixtures/experiments';
import type { ArmTotals, GoalTotals, PhaseTotals } from './input';
import type { VariationStatistics } from './result';
import { countedStrata, strataOf } from './strata';
import { welchTest } from './value-statistics';

const shares = (...weights: number[]): PhaseTotals['shares'] =>
  new Map(weights.map((weight, i) => [i + 1, weight]));

const phase = (weights: PhaseTotals['shares'], ...arms: ArmTotals[]): PhaseTotals => ({
  shares: weights,
  totals: new Map(arms.map((arm, i) => [i + 1, arm])),
});

const phased = (phases: PhaseTotals[], changes: Partial<GoalTotals> = {}): GoalTotals => ({
  ...goal([totals(0, 0), totals(0, 0)]),
  phases,
  ...changes,
});

describe('strataOf', () => {
  it('combines phases with the same share ratio, in any unit of shares', () => {
    const phases = [
      phase(shares(90, 10), totals(90, 9), totals(10, 1)),
      phase(shares(50, 50), totals(40, 4), totals(40, 8)),
      phase(shares(0.45, 0.05), totals(9, 2), totals(1, 1)),
    ];
    const found = strataOf(phases, 1, 2).map(({ control, variation }) => [
      control.participants,
      control.converters,
      variation.participants,
    ]);
    expect(found).toEqual([
      [99, 11, 11],
      [40, 4, 40],
    ]);
  });

  // If the shares change from 60/20/20 to 45/15/40, the ratio of the first two stays the same, and the other ratios
  // change.
  it('considers only the pair, not the other variations', () => {
    const three = [phase(shares(60, 20, 20)), phase(shares(45, 15, 40))];
    expect([strataOf(three, 1, 2).length, strataOf(three, 1, 3).length]).toEqual([1, 2]);
  });

  it('combines phases whose ratios differ only by the rounding of computed shares', () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(strataOf([phase(shares(0.1 + 0.2, 0.3)), phase(shares(0.3, 0.3))], 1, 2)).toHaveLength(1);
    expect(strataOf([phase(shares(50, 50)), phase(shares(50.01, 49.99))], 1, 2)).toHaveLength(2);
  });

  it('combines phases with unknown shares', () => {
    expect(strataOf([phase(null, totals(1, 0)), phase(null, totals(2, 0))], 1, 2)).toHaveLength(1);
  });

  it('uses strata with enough participants on both sides, and always uses a single stratum', () => {
    const one = strataOf([phase(shares(1, 1), totals(0, 0), totals(5, 1))], 1, 2);
    expect(countedStrata(one, 1)).toEqual(one);
    const more = [...one, ...strataOf([phase(shares(1, 2), totals(1, 0), totals(5, 1))], 1, 2)];
    expect(countedStrata(more, 1)).toEqual([more[1]]);
    expect(countedStrata(more, 2)).toEqual([]);
  });
});

describe('effects over strata', () => {
  const values = (...amounts: number[]) => {
    const scaled = amounts.map((amount) => BigInt(Math.round(amount * 10_000)));
    return {
      participants: amounts.length,
      sum: scaled.reduce((sum, value) => sum + value, 0n),
      sumOfSquares: scaled.reduce((sum, value) => sum + value * value, 0n),
    };
  };
  const effect = effectOf(
    [
      {
        control: values(0, 0, 12.5, 0, 99.99, 0, 3.0001, 0),
        variation: values(0, 15, 0, 250.5, 19.9, 0, 0),
      },
      { control: values(0, 15, 0, 20, 0, 7.5), variation: values(1.25, 0, 30, 0, 0, 44, 12, 8) },
    ].map(meanEffect),
  );

  // R 4.2.2: the coefficient of g in lm(y ~ g + factor(stratum)), whose weights are those of Mantel and Haenszel;
  // errors and degrees of freedom from var() and qt() by the formulas of Satterthwaite (1946).
  it('equal the coefficient of a linear model with an effect for each stratum', () => {
    expect(effect.difference).toBeCloseTo(16.0367488031915, 11);
    expect(effect.control.value).toBeCloseTo(10.9162432180851, 11);
    expect(effect.variation.value).toBeCloseTo(26.9529920212766, 11);
    const test = welchTest(effect, 0.05);
    expect(test?.standardError).toBeCloseTo(19.6638054493217, 11);
    expect(test?.degreesOfFreedom).toBeCloseTo(7.89999286106012, 11);
    expect(test?.pValue).toBeCloseTo(0.438654188349745, 11);
    expect(test?.interval[0]).toBeCloseTo(-29.4081794842311, 9);
    expect(test?.interval[1]).toBeCloseTo(61.4816770906141, 9);
  });

  // The pooled variance is larger than the unpooled one in the second stratum (55.7 vs. 46.8) and smaller in the first
  // (1241 vs. 1384).
  it('use the larger of the pooled and the unpooled error in each stratum', () => {
    expect(effect.largestError).toBeCloseTo(19.7155638443945, 11);
  });

  // summary(lm(y ~ g))$coefficients for the first stratum: 35.2281904666864, the root of the pooled variance 1241.
  it('have the pooled error of a linear model if the unpooled one is smaller', () => {
    const [first] = [
      { control: values(0, 15, 0, 250.5, 19.9, 0, 0, 1, 2), variation: values(0, 1, 2, 3, 4, 5, 0, 1, 1, 2) },
    ].map(meanEffect);
    expect(first.pooledVariance).not.toBe(first.control.variance + first.variation.variance);
    const same = effectOf([first]);
    expect(same.largestError).toBeGreaterThanOrEqual(same.standardError);
  });

  it('use the variance p(1-p)/n for rates', () => {
    const { standardError, largestError, participants } = effectOf(
      [{ control: { successes: 90, trials: 900 }, variation: { successes: 2, trials: 100 } }].map(rateEffect),
    );
    expect(standardError).toBeCloseTo(Math.sqrt((0.1 * 0.9) / 900 + (0.02 * 0.98) / 100), 14);
    expect(largestError).toBeCloseTo(Math.sqrt(0.092 * 0.908 * (1 / 900 + 1 / 100)), 14);
    expect(participants).toBe(1000);
  });
});

describe('evaluate over several phases', () => {
  const simpson = [
    phase(shares(90, 10), totals(9000, 450), totals(1000, 50)),
    phase(shares(50, 50), totals(10_000, 800), totals(10_000, 800)),
  ];

  // The rates do not differ in either phase. For the pooled counts, prop.test(correct = FALSE) of 850/11,000 against
  // 1,250/19,000 gives p = 0.00017.
  it.each(['sequential', 'frequentist', 'bayesian'] as const)(
    "finds no effect in Simpson's data: %s",
    (method) => {
      const judged = (goals: GoalTotals[]): VariationStatistics =>
        second(experiment(goals, { rules: { ...RULES, method, minConversions: 25 } }));
      const result = judged([phased(simpson)]);
      expect(result).toMatchObject({ uplift: 0, confidence: 0, isConfident: false });
      expect(result).toMatchObject({ participants: 11_000, conversions: 850, conversionRate: 850 / 11_000 });
      expect(result.statistics).toMatchObject({ verdict: 'inconclusive' });
      expect(result.statistics.conversion).toMatchObject({ test: 'mantel-haenszel', difference: 0 });
      expect(result.statistics.conversion.bayesian).toMatchObject({ prior: null, chanceToBeatOriginal: 0.5 });
      const pooled = judged([goal([totals(19_000, 1_250), totals(11_000, 850)])]);
      expect(pooled.confidence).toBeGreaterThan(0.999);
    },
  );

  it('gives the result of a single phase if the share ratio never changed', () => {
    const whole = valueGoal(purchases(0, 5, 9, 12), purchases(3, 0, 7, 20));
    const parts = phased(
      [
        phase(shares(50, 50), purchases(0, 5), purchases(3, 0)),
        phase(shares(1, 1), purchases(9, 12), purchases(7, 20)),
      ],
      { hasValue: true },
    );
    expect(evaluate(experiment([parts]))).toEqual(evaluate(experiment([whole])));
  });

  it('requires two participants on each side of a stratum of values', () => {
    const phases = [
      phase(shares(90, 10), purchases(1, 2, 3), purchases(9)),
      phase(shares(50, 50), purchases(4, 5, 6), purchases(7, 7, 9)),
    ];
    const [, stratified] = evaluate(experiment([phased(phases, { hasValue: true })]))[0];
    const [, second_] = evaluate(experiment([phased(phases.slice(1), { hasValue: true })]))[0];
    expect(stratified.statistics.value).toEqual(second_.statistics.value);
    expect(stratified.participants).toBe(4);
  });

  // All variations have a rate of 20 % in the first phase and 10 % in the second. The third variation was shown only in
  // the first phase.
  it('finds no clearly best variation if one was only shown in some phases and the rates do not differ', () => {
    const phases = [
      phase(shares(40, 40, 20), totals(4_000, 800), totals(4_000, 800), totals(2_000, 400)),
      phase(shares(50, 50, 0), totals(4_000, 400), totals(4_000, 400), totals(0, 0)),
    ];
    const arms = [arm(1), arm(2), arm(3)];
    const results = evaluate(experiment([phased(phases)], { arms }))[0];
    expect(results[2].statistics.conversion).toMatchObject({ difference: 0, test: 'z-pooled' });
    // The expected chances are from SciPy 1.17: integrate.quad of the density of N(0, s²) times the distribution
    // functions of the others, with s² = 0.1275/8000 for the first two and 0.16/4000 + 0.16/2000 - 0.1275/8000 for the
    // third.
    expect(results.map(({ statistics }) => statistics.conversion.bayesian?.chanceToBeBest)).toEqual([
      expect.closeTo(0.29148133935944, 8),
      expect.closeTo(0.29148133935944, 8),
      expect.closeTo(0.41703732128112, 8),
    ]);
  });

  // The second phase is the only stratum with both variations. If one of 20 converted in the variation and none in the
  // original, the posteriors are Beta(2, 20) for p₁ and Beta(1, 21) for p₀. P(p₀ > x) is (1 - x)^21, whose mean over p₁
  // is B(2, 41) / B(2, 20) = (20·21) / (41·42) = 10/41, so P(p₁ > p₀) is 31/41. Equal counts give 1/2.
  it.each([
    [1, 31 / 41],
    [0, 1 / 2],
  ])(
    'has the same chance to be best as to beat the only other variation: %i of 20 converted',
    (converters, chance) => {
      const phases = [
        phase(shares(100, 0), totals(50, 5), totals(0, 0)),
        phase(shares(50, 50), totals(20, 0), totals(20, converters)),
      ];
      const [original, variation] = evaluate(experiment([phased(phases)]))[0].map(
        ({ statistics }) => statistics.conversion.bayesian,
      );
      expect(variation).toMatchObject({
        prior: [1, 1],
        chanceToBeatOriginal: expect.closeTo(chance, 9) as number,
        chanceToBeBest: expect.closeTo(chance, 9) as number,
      });
      expect(original?.chanceToBeBest).toBeCloseTo(1 - chance, 9);
    },
  );

  it('compares nothing if the two variations were never shown together', () => {
    const phases = [
      phase(shares(100, 0), totals(100, 10), totals(0, 0)),
      phase(shares(0, 100), totals(0, 0), totals(100, 30)),
    ];
    const result = second(experiment([phased(phases)]));
    expect(result).toMatchObject({ conversionRate: 0.3, uplift: null, confidence: null, isConfident: false });
    expect(result.statistics.warnings).toContain('NO_PARTICIPANTS');
    expect(result.duration.minConversionsReached).toBe(true);
  });
});
