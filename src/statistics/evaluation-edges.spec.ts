import { evaluate } from './evaluation';
import {
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
import type { DecisionRules } from './input';
import type { VariationStatistics } from './result';

describe('gates', () => {
  const goals = [goal([totals(1000, 100), totals(1000, 200)])];
  const gated = (rules: Partial<DecisionRules>, daysRunning = 10): VariationStatistics =>
    second(experiment(goals, { rules: { ...RULES, ...rules }, daysRunning }));

  it('never change the confidence', () => {
    const [open, shut] = [gated({}), gated({ minConversions: 151, minRuntimeDays: 12 })];
    expect([open.isConfident, shut.isConfident]).toEqual([true, false]);
    expect(shut.confidence).toBe(open.confidence);
    expect(shut.statistics.verdict).toBe('inconclusive');
  });

  it('report which requirements are not met and the days left', () => {
    const waiting = { daysRunning: 10, daysLeft: 2, minRuntimeReached: false, minConversionsReached: true };
    expect(gated({ minRuntimeDays: 12, minConversions: 100 }).duration).toEqual(waiting);
    expect(gated({ minConversions: 200 }).duration).toMatchObject({
      daysLeft: expect.closeTo(10 / 3, 12) as number,
      minConversionsReached: false,
    });
  });

  it('use the days on which a variation was compared, not those of the experiment', () => {
    const input = experiment(goals, { rules: { ...RULES, minRuntimeDays: 7 }, daysRunning: 30 });
    const after = (days: number): VariationStatistics =>
      second({ ...input, daysCompared: new Map([[2, days]]) });
    expect(second(input).statistics.verdict).toBe('winner');
    expect(after(1).statistics.verdict).toBe('inconclusive');
    expect(after(1).duration).toMatchObject({ daysRunning: 1, daysLeft: 6, minRuntimeReached: false });
    expect(after(7)).toMatchObject({ isConfident: true, duration: { daysRunning: 7, daysLeft: 0 } });
  });

  // 100 of 1,000 against 150 of 1,000 with the prior N(0, (0.01·0.1)²) on the difference. The expected days are 10·(k -
  // 1), where k is the factor by which the sample must grow, from R 4.2.2: uniroot on function(k) 0.05/s -
  // qnorm(0.95)*sqrt(1 + s^2/0.001^2) - qnorm(0.8), where s = sqrt(0.00021875/k), and 0.00021875 = 0.125*0.875*2/1000 is the
  // squared pooled standard error.
  it('use the prior in the forecast', () => {
    const goals150 = [goal([totals(1000, 100), totals(1000, 150)])];
    const judged = (upliftPrior: number | null): VariationStatistics =>
      second(experiment(goals150, { rules: { ...RULES, method: 'bayesian' }, daysRunning: 10, upliftPrior }));
    expect(judged(null).statistics.verdict).toBe('winner');
    expect(judged(0.01).statistics.verdict).toBe('inconclusive');
    expect(judged(0.01).duration.daysLeft).toBeCloseTo(70.327617955, 6);
  });

  // Otherwise, a variation that prevents nearly all conversions would never get a verdict.
  it('compare the sum of both variations with the minimum conversions', () => {
    const drop = [goal([totals(10_000, 400), totals(10_000, 10)])];
    const judged = (minConversions: number): VariationStatistics =>
      second(experiment(drop, { rules: { ...RULES, method: 'sequential', minConversions } }));
    expect(judged(205).statistics.verdict).toBe('loser');
    expect(judged(206).statistics.verdict).toBe('inconclusive');
  });

  it('are the only requirements for the original', () => {
    const rules = { ...RULES, minRuntimeDays: 12, minConversions: 150 };
    const same = [goal([totals(1000, 120), totals(1000, 120)])];
    const [original, variation] = evaluate(experiment(same, { rules }))[0];
    expect([original.duration.daysLeft, variation.duration.daysLeft]).toEqual([2.5, null]);
  });

  it('apply to losers as well as winners', () => {
    const result = pair(totals(1000, 200), totals(1000, 100));
    expect([result.isConfident, result.statistics.verdict]).toEqual([true, 'loser']);
  });

  it('show the significance as a fraction', () => {
    expect(gated({ significance: 99.9 }).statistics.significance).toBe(0.999);
  });
});

describe('warnings', () => {
  it.each([
    ['NO_PARTICIPANTS', goal([totals(0, 0), totals(100, 30)])],
    ['NO_PARTICIPANTS', goal([totals(100, 30), totals(0, 0)])],
    ['INVALID_COUNTS', goal([totals(100, 30), totals(100, 101)])],
    ['INVALID_COUNTS', goal([totals(100, -1), totals(100, 40)])],
    ['INSUFFICIENT_DATA', valueGoal(purchases(1), purchases(2, 3))],
    ['ZERO_VARIANCE', valueGoal(purchases(2, 2), purchases(3, 3))],
    ['SMALL_COUNTS', goal([totals(100, 2), totals(100, 7)])],
    ['UPLIFT_UNSTABLE', goal([totals(10_000, 15), totals(10_000, 60)])],
    ['UPLIFT_UNSTABLE', valueGoal(purchases(5, -4, 2), purchases(5, 6, 7))],
  ])('%s', (warning, goalTotals) => {
    expect(second(experiment([goalTotals])).statistics.warnings).toContain(warning);
  });

  // Scripts that wait for `isConfident` must not act on a sample ratio mismatch.
  it('include SAMPLE_RATIO_MISMATCH for all variations, and the compared variation is untrustworthy', () => {
    const goals = [goal([totals(1000, 100), totals(1000, 200)])];
    const [original, variation] = evaluate(experiment(goals, { hasSampleRatioMismatch: true }))[0];
    expect(original.statistics.warnings).toEqual(['SAMPLE_RATIO_MISMATCH']);
    expect(variation.statistics.warnings).toEqual(['SAMPLE_RATIO_MISMATCH']);
    expect([variation.isConfident, variation.statistics.verdict]).toEqual([false, 'untrustworthy']);
    expect(original.statistics.verdict).toBe('inconclusive');
    expect(variation.confidence).toBeGreaterThan(0.99);
  });

  it('are empty for sound figures', () => {
    expect(pair(totals(1000, 100), totals(1000, 120)).statistics.warnings).toEqual([]);
  });
});

describe('edges', () => {
  it('compares nothing if a variation has no participants', () => {
    const result = pair(totals(0, 0), totals(100, 30));
    expect(result).toMatchObject({ conversionRate: 0.3, uplift: null, confidence: null, isConfident: false });
    expect(result.duration.daysLeft).toBeNull();
  });

  it('still compares values if there are more converters than participants', () => {
    const result = valuePair(purchases(1, 2, 3), { ...purchases(4, 5, 9), converters: 4 });
    expect(result).toMatchObject({ conversionRate: null, confidence: expect.any(Number) as number });
    expect(result.statistics.conversion).toMatchObject({ pValue: null, interval: null });
    expect(result.statistics.warnings).toContain('INVALID_COUNTS');
  });

  it('compares no values if the sum of squares is too small for the sum', () => {
    const result = valuePair(purchases(1, 2, 3), totals(3, 3, { value: 100n, valueSquared: 1n }));
    expect(result.confidence).toBeNull();
    expect(result.statistics.warnings).toContain('INVALID_COUNTS');
  });

  it('has an uplift for a variation of 0, and none for a control of 0', () => {
    expect(pair(totals(100, 20), totals(100, 0)).uplift).toBe(-1);
    const result = pair(totals(100, 0), totals(100, 20));
    expect(result.uplift).toBeNull();
    expect(result.statistics.conversion).toMatchObject({ test: 'z-pooled', upliftInterval: null });
  });

  // Both the delta method and Fieller's set would give an interval of zero width here.
  it.each<[string, () => VariationStatistics]>([
    ['many conversions', () => pair(totals(1000, 60), totals(1000, 0))],
    ['values', () => valuePair(purchases(5, 6, 7), purchases(0, 0, 0))],
  ])('has an uplift interval as wide as the difference interval for a variation of 0: %s', (_, made) => {
    const { uplift, statistics } = made();
    const { interval, upliftInterval, difference } = statistics[statistics.metric]!;
    expect([uplift, upliftInterval![1] > -1]).toEqual([-1, true]);
    const ofDifference = interval!.map((end) => end / Math.abs(difference!));
    expect(upliftInterval).toEqual(ofDifference.map((end) => expect.closeTo(end, 12) as unknown));
  });

  // Fisher's p-values are 0.358 and 0.170. The limits are computed in R (see `newcombeUpliftInterval`). The delta method
  // would give -132 % to -1 % and -116 % to -27 %.
  it.each([
    [totals(1140, 57), totals(60, 1), [-0.941541, 0.82831]],
    [totals(100, 7), totals(100, 2), [-0.931637, 0.239432]],
  ])(
    'has an uplift interval that includes 0 if there is no significant difference: case %#',
    (control, own, ends) => {
      const { conversion } = pair(control, own).statistics;
      expect(conversion.test).toBe('fisher');
      expect(conversion.upliftInterval).toEqual(ends.map((end) => expect.closeTo(end, 6) as unknown));
    },
  );

  // Computed in Python as 10·(((1.959963984540054 + 0.8416212335729143)·SE/d)² - 1) for ten days, with the pooled SE. With
  // the unpooled SE, the sample would be large enough already. Fisher's p-values in R are 0.110 and 0.179.
  it.each([
    [totals(1140, 57), totals(60, 0), 14.9201932],
    [totals(4750, 4700), totals(250, 250), 19.5274856],
  ])('forecasts by the pooled error if it is larger: case %#', (control, own, expected) => {
    const { statistics, duration } = pair(control, own);
    expect(statistics.verdict).toBe('inconclusive');
    expect(duration.daysLeft).toBeCloseTo(expected, 6);
  });

  it.each([0, 50])('finds no difference if %d of 50 converted in both variations', (converters) => {
    const result = pair(totals(50, converters), totals(50, converters));
    expect(result).toMatchObject({ confidence: 0, isConfident: false });
    expect(result.statistics.conversion).toMatchObject({
      difference: 0,
      pValue: 1,
      intervalMethod: 'newcombe',
    });
  });

  // Sequential p-value, difference interval and uplift interval, computed in Python: the mixture SPRT tuned to 5,000
  // participants, with z = (x1/n1 - x0/n0)/√(p̄(1-p̄)(1/n0 + 1/n1)). Fisher's p-value of 0 of 3 against 3 of 3 is 0.1.
  it.each<[[number, number], [number, number], number, number[], number[] | null, string]>([
    [[3, 0], [3, 3], 0.976713927676665, [-9.29666610852766, 11.2966661085277], null, 'inconclusive'],
    [[100, 0], [100, 100], 3.93815500832436e-11, [0.639378372150558, 1.36062162784944], null, 'winner'],
    [
      [300, 300],
      [100, 0],
      2.37712977908715e-34,
      [-1.20429321157926, -0.795706788420745],
      [-1.20429321157926, -0.795706788420745],
      'loser',
    ],
  ])(
    'decides by the pooled error for %j vs. %j, because the unpooled error is 0',
    (original, variation, pValue, interval, upliftInterval, verdict) => {
      const rules = { ...RULES, method: 'sequential' as const };
      const result = second(experiment([goal([totals(...original), totals(...variation)])], { rules }));
      const near = (ends: readonly number[]): unknown[] =>
        ends.map((end) => expect.closeTo(end, 11) as unknown);
      const { sequential, standardError } = result.statistics.conversion;
      expect(standardError).toBe(0);
      expect(sequential!.pValue / pValue).toBeCloseTo(1, 9);
      expect(sequential!.interval).toEqual(near(interval));
      expect(sequential!.upliftInterval).toEqual(upliftInterval && near(upliftInterval));
      expect(result.statistics.verdict).toBe(verdict);
    },
  );

  it('has no sequential block if no one or everyone converted on both sides', () => {
    expect(pair(totals(3, 0), totals(3, 0)).statistics.conversion.sequential).toBeNull();
    expect(pair(totals(3, 3), totals(3, 3)).statistics.conversion.sequential).toBeNull();
  });

  it('shows means but no test if a variation has a single participant', () => {
    const result = valuePair(purchases(4), purchases(5, 6, 10));
    expect(result).toMatchObject({ valuePerParticipant: 7, uplift: 0.75, confidence: null });
    expect(result.statistics.value).toMatchObject({
      difference: 3,
      standardError: null,
      test: null,
      interval: null,
    });
  });

  it('shows means but no test when nothing varies', () => {
    const result = valuePair(purchases(4, 4, 4), purchases(5, 5));
    expect(result).toMatchObject({ uplift: 0.25, confidence: null, isConfident: false });
    expect(result.statistics.value).toMatchObject({
      difference: 1,
      standardError: 0,
      test: null,
      bayesian: null,
    });
  });

  it('tests a difference from a control mean of 0, but has no uplift', () => {
    const result = valuePair(purchases(-2, 2, -1, 1), purchases(5, 7, 6, 5));
    expect(result.uplift).toBeNull();
    expect(result.confidence).toBeGreaterThan(0.99);
  });

  it('treats a less negative value as an improvement', () => {
    const result = valuePair(purchases(-5, -4, -3), purchases(-2, -1, -3));
    expect(result.uplift).toBe(0.5);
  });

  it('has a confidence of 1 if the p-value is too small for a double', () => {
    const result = pair(totals(100_000_000, 1_000_000), totals(100_000_000, 50_000_000));
    expect(result).toMatchObject({ confidence: 1, isConfident: true });
    expect(result.statistics.conversion).toMatchObject({ pValue: 0, sequential: { pValue: 0 } });
  });
});
