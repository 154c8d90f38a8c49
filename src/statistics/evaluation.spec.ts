import bayesian from './fixtures/bayesian.json';
import r from './fixtures/r.json';
import { evaluate } from './evaluation';
import {
  arm,
  experiment,
  goal,
  pair,
  purchases,
  RULES,
  second,
  totals,
  valueGoal,
  valuePair,
} from './fixtures/experiments';
import { compareGoal } from './goal-comparison';
import type { DecisionRules } from './input';
import type { VariationStatistics } from './result';

describe('evaluate', () => {
  it('keeps the order of goals and variations', () => {
    const goals = [goal([totals(10, 1), totals(20, 2)]), goal([totals(10, 3), totals(20, 4)])];
    const result = evaluate(experiment(goals, { arms: [arm(2), arm(1)] }));
    expect(result.map((arms) => arms.map(({ id, conversions }) => [id, conversions]))).toEqual([
      [
        [2, 2],
        [1, 1],
      ],
      [
        [2, 4],
        [1, 3],
      ],
    ]);
    expect(evaluate(experiment([]))).toEqual([]);
  });

  it("returns values in the goal's unit", () => {
    const counted = totals(5120, 412, { conversions: 431, value: 960_685_001n, valueSquared: 10n ** 18n });
    expect(evaluate(experiment([valueGoal(counted, counted)]))[0][0]).toMatchObject({
      id: 1,
      name: 'Variation 1',
      isOriginal: true,
      participants: 5120,
      conversions: 412,
      totalConversions: 431,
      conversionRate: 0.08046875,
      totalValue: 96068.5001,
      valuePerParticipant: 96068.5001 / 5120,
      valuePerConversion: 96068.5001 / 431,
    });
  });

  it('counts a variation without totals as zero', () => {
    const result = evaluate(experiment([goal([totals(10, 1)])], { arms: [arm(1), arm(2)] }))[0][1];
    expect(result).toMatchObject({
      participants: 0,
      conversionRate: null,
      totalValue: 0,
      valuePerConversion: null,
    });
  });

  it('omits values for goals without values', () => {
    const result = pair(totals(100, 30, { value: 5n }), totals(100, 40, { value: 5n, conversions: 0 }));
    expect(result).toMatchObject({ totalValue: 0, valuePerParticipant: 0, valuePerConversion: null });
    expect(result.statistics).toMatchObject({ metric: 'conversion', value: null });
  });

  it('compares conversion rates as R does', () => {
    const { x0, n0, x1, n1, pValue } = r.pooledZ.cases[0];
    const result = pair(totals(n0, x0), totals(n1, x1));
    expect(result.confidence).toBeCloseTo(1 - pValue, 12);
    expect(result.uplift).toBeCloseTo(x1 / n1 / (x0 / n0) - 1, 12);
    expect(result.statistics.conversion).toMatchObject({ test: 'z-pooled', intervalMethod: 'wald' });
    expect(result.statistics.conversion?.pValueAdjusted).toBe(result.statistics.conversion?.pValue);
    const { chance, loss } = bayesian.comparison.cases[1];
    expect(result.statistics.conversion?.bayesian).toMatchObject({
      prior: [1, 1],
      chanceToBeatOriginal: expect.closeTo(chance, 9) as number,
      chanceToBeBest: expect.closeTo(chance, 9) as number,
      expectedLoss: expect.closeTo(loss, 9) as number,
    });
  });

  it('uses values if the goal has them', () => {
    const result = valuePair(purchases(0, 0, 5, 9, 12), purchases(0, 20, 25, 19, 0));
    const { value } = result.statistics;
    expect(result.statistics.metric).toBe('value');
    expect(result.uplift).toBe(value?.uplift);
    expect(result.confidence).toBe(1 - (value?.pValue ?? NaN));
  });

  it('omits comparisons for the original, at any position', () => {
    const goals = [valueGoal(purchases(1, 2, 3), purchases(4, 0, 6))];
    const original = evaluate(experiment(goals, { arms: [arm(2), arm(1)] }))[0][1];
    const { conversion, value, verdict } = original.statistics;
    expect(original).toMatchObject({ isOriginal: true, uplift: null, confidence: null, isConfident: false });
    const { bayesian: posterior, ...comparisons } = conversion;
    expect(new Set(Object.values(comparisons))).toEqual(new Set([null]));
    const { bayesian: ofValues, ...comparedValues } = value!;
    expect(new Set(Object.values(comparedValues))).toEqual(new Set([null]));
    expect([ofValues!.chanceToBeatOriginal, typeof ofValues!.chanceToBeBest]).toEqual([null, 'number']);
    expect(posterior).toMatchObject({
      chanceToBeatOriginal: null,
      chanceToBeBest: expect.any(Number) as number,
    });
    expect(verdict).toBe('inconclusive');
  });

  it('compares nothing without an original', () => {
    const arms = [arm(1, false), arm(2)];
    const [first, other] = evaluate(experiment([goal([totals(100, 30), totals(100, 60)])], { arms }))[0];
    for (const { confidence, uplift, isConfident, duration } of [first, other]) {
      expect([confidence, uplift, isConfident, duration.daysLeft]).toEqual([null, null, false, null]);
    }
  });

  it('has no best variation if there is only one', () => {
    const [only] = evaluate(experiment([goal([totals(100, 30)])]))[0];
    expect(only.statistics.conversion?.bayesian?.chanceToBeBest).toBeNull();
  });
});

describe('the direction of a goal', () => {
  const arms = [totals(2000, 400), totals(2000, 500)];
  const [more, less] = (['increase', 'decrease'] as const).map((direction) =>
    second(experiment([goal(arms, { direction })])),
  );

  it('inverts the verdict and the chances', () => {
    expect([more.statistics.verdict, less.statistics.verdict]).toEqual(['winner', 'loser']);
    const [up, down] = [more, less].map(({ statistics }) => statistics.conversion.bayesian!);
    expect(up.chanceToBeatOriginal! + down.chanceToBeatOriginal!).toBeCloseTo(1, 9);
    expect(up.chanceToBeBest! + down.chanceToBeBest!).toBeCloseTo(1, 9);
    expect(down.expectedLoss! - up.expectedLoss!).toBeCloseTo(100 / 2002, 9);
  });

  it('does not change differences, uplifts and their intervals', () => {
    const unturned = ({ uplift, confidence, statistics: { conversion } }: VariationStatistics): unknown => [
      uplift,
      confidence,
      conversion?.interval,
      conversion?.sequential,
      conversion?.bayesian?.differenceInterval,
      conversion?.bayesian?.upliftInterval,
    ];
    expect(unturned(less)).toEqual(unturned(more));
  });

  it('inverts the verdict and the chances for values, but keeps the interval', () => {
    const [up, down] = (['increase', 'decrease'] as const).map(
      (direction) =>
        second(experiment([{ ...valueGoal(purchases(5, 6, 7, 8), purchases(8, 9, 9, 8)), direction }]))
          .statistics,
    );
    expect([up.verdict, down.verdict]).toEqual(['winner', 'loser']);
    const [gain, loss] = [up.value!.bayesian!, down.value!.bayesian!];
    expect(gain.chanceToBeatOriginal! + loss.chanceToBeatOriginal!).toBeCloseTo(1, 12);
    expect(loss.expectedLoss! - gain.expectedLoss!).toBeCloseTo(2, 12);
    expect(loss.interval).toEqual(gain.interval);
  });
});

describe('a correction', () => {
  const goals = [
    goal([totals(1000, 200), totals(1000, 240), totals(1000, 245)]),
    valueGoal(purchases(1, 2, 3, 4), purchases(2, 3, 5, 6), purchases(0, 0, 0, 0)),
  ];
  const correct = (correction: DecisionRules['correction']): VariationStatistics[] =>
    evaluate(experiment(goals, { rules: { ...RULES, correction } })).flat();
  const primary = ({ statistics }: VariationStatistics): (number | null | undefined)[] => {
    const block = statistics.value ?? statistics.conversion;
    return [block?.pValue, block?.pValueAdjusted];
  };

  // Holm's correction by hand: the smallest of m = 4 p-values times 4, the next times 3, and so on, never decreasing.
  it('covers the primary p-values of all goals and variations, and no other p-values', () => {
    const pairs = correct('holm')
      .map(primary)
      .filter(([p]) => p != null) as [number, number][];
    const sorted = pairs.sort(([p], [q]) => p - q);
    expect(sorted).toHaveLength(4);
    const byHand = sorted.map(([p], i) => Math.min(1, (4 - i) * p));
    expect(sorted.map(([, adjusted]) => adjusted)).toEqual(
      byHand.map((_, i) => Math.max(...byHand.slice(0, i + 1))),
    );
  });

  // In R, prop.test(c(130, 100), c(1000, 1000), correct = FALSE)$p.value is 0.03548845. p.adjust with the method holm
  // gives 0.1419538 if the three other p-values in the family are 1.
  it('covers goals and guardrails separately, even if they share cached comparisons', () => {
    const strong = goal([totals(1_000, 100), totals(1_000, 130)]);
    const weak = goal([totals(1_000, 50), totals(1_000, 50)]);
    const input = experiment([strong, weak, weak, weak, { ...strong, isGuardrail: true }], {
      rules: { ...RULES, correction: 'holm' },
    });
    const settings = { alpha: 0.05, tuning: input.tuning, upliftPrior: null };
    const [ofStrong, ofWeak] = [strong, weak].map((one) => compareGoal(one, input.arms, settings));
    const cached: typeof compareGoal = ({ phases }) => (phases === strong.phases ? ofStrong : ofWeak);
    const adjusted = evaluate(input, cached).map(([, variation]) => primary(variation)[1]);
    expect(adjusted).toEqual([0.1419538, 1, 1, 1, 0.03548845].map((p) => expect.closeTo(p, 7) as number));
  });

  it('lowers the confidence', () => {
    for (const variation of correct('benjamini-hochberg').filter(({ isOriginal }) => !isOriginal)) {
      expect(variation.confidence).toBe(1 - (primary(variation)[1] ?? NaN));
    }
  });

  it('leaves the other block of a goal with values unadjusted', () => {
    expect(correct('holm')[4].statistics.conversion?.pValueAdjusted).toBeNull();
    expect(correct('none')[4].statistics.conversion?.pValueAdjusted).toBe(
      correct('none')[4].statistics.conversion?.pValue,
    );
  });

  it.each(['frequentist', 'sequential'] as const)('can revoke the verdict of the method %s', (method) => {
    const strong = [totals(10_000, 2_000), totals(10_000, method === 'frequentist' ? 2_115 : 2_190)];
    const weak = [totals(10_000, 2_000), totals(10_000, 2_001)];
    const verdict = (correction: DecisionRules['correction']): string =>
      second(experiment([goal(strong), goal(weak)], { rules: { ...RULES, method, correction } })).statistics
        .verdict;
    expect([verdict('none'), verdict('holm')]).toEqual(['winner', 'inconclusive']);
  });

  // `days` is computed in R (`frequentist`) and in Python with scipy (`sequential`): 10·(k - 1), where k is the factor by
  // which the sample must grow until (z_{1-α/2m} + z_0.8)·SE, with the pooled SE, or the half-width of the confidence
  // sequence at α/m equals the difference. Without the correction, both samples are large enough.
  it.each([
    ['frequentist', 2_170, 49, 9.50028058342638],
    ['sequential', 2_190, 1, 0.42456917678346473],
  ] as const)('prolongs the forecast of the method %s', (method, converters, others, days) => {
    const strong = goal([totals(10_000, 2_000), totals(10_000, converters)]);
    const weak = goal([totals(10_000, 2_000), totals(10_000, 2_001)]);
    const goals = [strong, ...Array.from({ length: others }, () => weak)];
    const rules = { ...RULES, method, correction: 'holm' as const };
    const { statistics, duration } = second(experiment(goals, { rules }));
    expect(statistics.verdict).toBe('inconclusive');
    expect(duration.daysLeft).toBeCloseTo(days, 9);
  });
});
