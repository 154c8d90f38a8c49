import { evaluate } from './evaluation';
import { experiment, goal, purchases, RULES, second, totals, valueGoal } from './fixtures/experiments';
import type { ExperimentTotals, Look } from './input';
import type { Method } from './result';

const rates = goal([totals(10_000, 1_000), totals(10_000, 1_040)]);

const judgedBy = (method: Method, changes: Partial<ExperimentTotals> = {}): number | null =>
  second(experiment([rates], { rules: { ...RULES, method }, ...changes })).statistics.minimumDetectableEffect;

// The expected effects are (c + qnorm(0.8))·max(unpooled, pooled error)/p0, computed in R 4.2.2, where c is
// qnorm(0.975), the critical value of the confidence sequence, or that of the method bayesian.
describe('the minimum detectable effect', () => {
  it('uses the normal quantile for fixed tests', () => {
    expect(judgedBy('frequentist')).toBeCloseTo(0.119910465611, 10);
  });

  // The Bayesian method decides one-sided, at qnorm(0.95)·sqrt(1 + SE²/(prior·p0)²) standard errors.
  it.each([
    [null, 0.106423447813],
    [0.1, 0.112600898561],
    [0.02, 0.202321247115],
  ])('uses the rule of the method bayesian with the prior %d', (upliftPrior, expected) => {
    expect(judgedBy('bayesian', { upliftPrior })).toBeCloseTo(expected, 10);
  });

  // power.prop.test(n = 10000, p1 = 0.1, power = 0.8)$p2 is 0.1122191, a relative effect of 12.2 %. It uses the
  // variances of both rates.
  it('is close to the effect for which R requires the same sample size', () => {
    expect(judgedBy('frequentist')).toBeCloseTo(0.1222, 2);
  });

  it('uses the tuning of the sequential test', () => {
    expect(judgedBy('sequential')).toBeCloseTo(0.169865583205, 10);
    expect(judgedBy('sequential', { tuning: new Map([[2, 40_000]]) })).toBeCloseTo(0.168001798134, 10);
  });

  // As for planned boundaries and forecasts, α is divided by the number of comparisons, as in Holm's first step. The
  // effects are computed in Python as (c + NormalDist().inv_cdf(0.8))·√(0.102·0.898·2/10000)/0.1, where c is the
  // critical value for α = 0.025 (one-sided, for α = 0.05, with the method bayesian).
  it.each<[Method, number]>([
    ['frequentist', 0.13195630683776],
    ['sequential', 0.18010394854135],
    ['bayesian', 0.10642344781299],
  ])('uses the alpha that the method %s has for one comparison with a correction', (method, expected) => {
    const rules = { ...RULES, method, correction: 'holm' as const };
    const [[, first]] = evaluate(experiment([rates, rates], { rules }));
    expect(first.statistics.minimumDetectableEffect).toBeCloseTo(expected, 9);
  });

  // The unpooled error is larger for the first pair, the pooled error for the second.
  it.each([
    [[0, 0, 10, 40], [0, 0, 0, 10, 10, 10, 0, 0], 2.16060516084],
    [[0, 0, 5, 10], [0, 0, 0, 40, 10, 10, 0, 0], 5.44930530694],
  ])('uses the larger error for the values %j and %j', (control, variation, expected) => {
    const result = second(experiment([valueGoal(purchases(...control), purchases(...variation))]));
    expect(result.statistics.minimumDetectableEffect).toBeCloseTo(expected, 9);
  });

  // The expected effects follow from 4.876885 and 2.031032, the boundaries of the first and last of five equal looks
  // (see group-sequential.spec.ts).
  it.each([
    [1, 0.7672181],
    [5, 0.1723592],
  ])('uses the boundary of look %d of a plan', (last, expected) => {
    const atEndOf = (day: number) => [totals(1_000 * day, 100 * day), totals(1_000 * day, 100 * day)];
    const looks = Array.from({ length: last }, (_, index): Look => {
      const { phases } = goal(atEndOf(index + 1));
      return { date: `2026-05-0${String(index + 1)}`, daysRunning: index + 1, phases };
    });
    const shares = new Map([
      [1, 50],
      [2, 50],
    ]);
    const gates = { minConversions: 0, minRuntimeDays: 0 };
    const plan = { participants: 10_000, shares, end: null, removedOn: null, ...gates };
    const input = experiment([goal(atEndOf(last), { looks })], {
      plan,
      rules: { ...RULES, method: 'planned' },
    });
    expect(evaluate(input)[0][1].statistics.minimumDetectableEffect).toBeCloseTo(expected, 6);
  });

  it('is not defined without a mean, without an error, or for the original', () => {
    const nobody = second(experiment([goal([totals(100, 0), totals(100, 5)])]));
    const everybody = second(experiment([goal([totals(100, 100), totals(100, 100)])]));
    const [[original]] = evaluate(experiment([rates]));
    for (const { statistics } of [nobody, everybody, original]) {
      expect(statistics.minimumDetectableEffect).toBeNull();
    }
  });
});
