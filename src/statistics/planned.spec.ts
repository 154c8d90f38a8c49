import { evaluate, evaluateEach } from './evaluation';
import { experiment, goal, RULES, totals } from './fixtures/experiments';
import type { ExperimentPlan, ExperimentTotals, GoalTotals, Look } from './input';
import { plannedCriticals } from './planned-boundaries';
import type { VariationStatistics } from './result';

const PLAN: ExperimentPlan = {
  participants: 10_000,
  shares: new Map([
    [1, 50],
    [2, 50],
  ]),
  end: null,
  removedOn: null,
  minConversions: 25,
  minRuntimeDays: 0,
};
const PLANNED = { ...RULES, method: 'planned' as const, minConversions: 25, minRuntimeDays: 0 };

/**
 * Counts up to the end of a day: the participants of each variation, and the converters of the control and the
 * variation.
 */
type Day = readonly [participants: number, control: number, variation: number];

const dateOf = (index: number): string => `2026-05-${String(index + 1).padStart(2, '0')}`;

const looksOf = (days: readonly Day[]): Look[] =>
  days.map((day, index) => ({
    date: dateOf(index),
    daysRunning: index + 1,
    phases: goal([totals(day[0], day[1]), totals(day[0], day[2])]).phases,
  }));

function judged(
  days: readonly Day[],
  plan: Partial<ExperimentPlan> = {},
  changes: Partial<ExperimentTotals> = {},
  goalChanges: Partial<GoalTotals> = {},
): VariationStatistics {
  const [participants, control, variation] = days[days.length - 1];
  const counted = goal([totals(participants, control), totals(participants, variation)], {
    looks: looksOf(days),
    ...goalChanges,
  });
  const rules = changes.rules ?? PLANNED;
  return evaluate(experiment([counted], { plan: { ...PLAN, ...plan }, ...changes, rules }))[0][1];
}

/**
 * Cumulative counts of up to five equal looks: 1,000 more participants in each variation and 100 more converters of the
 * control at each look, and the given converters of the variation.
 */
const five = (...variation: number[]): Day[] =>
  variation.map((converted, k) => [1_000 * (k + 1), 100 * (k + 1), converted]);

/** The boundary of each look. */
const boundariesOf = (days: readonly Day[]): (number | null | undefined)[] =>
  days.map((_, k) => judged(days.slice(0, k + 1)).statistics.planned?.criticalValue);

const about = (numbers: readonly number[], digits: number): number[] =>
  numbers.map((number) => expect.closeTo(number, digits) as number);

// The boundaries of five equal looks at 5 %: 4.877, 3.357, 2.680, 2.290, 2.031 (ldbounds, gsDesign; see
// group-sequential.spec.ts). z is (x1 - x0) / √(p̄(1-p̄)·2n).
describe('plannedOutcome', () => {
  it('has the published boundaries at five equal looks', () => {
    const found = boundariesOf(five(100, 200, 300, 400, 500));
    expect(found).toEqual(about([4.8769, 3.357, 2.6803, 2.2898, 2.031], 3));
  });

  // At the third look, z = 55 / √(327.5/3000·(1 - 327.5/3000)·6000) = 2.278 is below the boundary of 2.680. At the
  // fourth look, z = 66 / ... = 2.367 is above the boundary of 2.290.
  it('decides permanently at the first crossing', () => {
    const result = judged(five(115, 235, 355, 466, 500));
    expect(result.statistics).toMatchObject({ method: 'planned', verdict: 'winner' });
    expect(result.isConfident).toBe(true);
    expect(result.statistics.planned).toMatchObject({
      looks: 4,
      decidedOn: dateOf(3),
      lookedOn: dateOf(3),
      isOver: true,
      informationFraction: 1,
    });
    expect(result.statistics.planned!.interval![0]).toBeGreaterThan(0);
    expect(result.statistics.planned!.upliftInterval![0]).toBeGreaterThan(0);
    expect(result.duration.daysLeft).toBe(0);
    const before = judged(five(115, 235, 355));
    expect(before.statistics).toMatchObject({ verdict: 'inconclusive', planned: { decidedOn: null } });
    expect(before.statistics.planned!.interval![0]).toBeLessThan(0);
  });

  // From mvtnorm 1.1-3 in R 4.2.2: the error is spent at the fractions 0.4, 0.6, 0.8 and 1, and the correlation of two
  // looks is √(e_j/e_k) with e = n·p/(1-p), by uniroot on pmvnorm(algorithm = Miwa). If the conversions grew like the
  // participants, the boundaries would be 3.3569, 2.6803, 2.2898 and 2.0310.
  it('has higher boundaries if participants convert long after they entered', () => {
    const days: Day[] = [
      [2_000, 100, 100],
      [3_000, 240, 240],
      [4_000, 420, 420],
      [5_000, 700, 700],
    ];
    expect(boundariesOf(days)).toEqual(about([3.3568694, 2.6935413, 2.3258176, 2.106903], 5));
  });

  // Computed with mvtnorm, as above. From each look to the next, 180/96.667, 96.667/59.1 and 59.1/49.5 of n·p(1-p) are
  // taken back, so the correlation of two adjacent looks is the root of what is left.
  it('has higher boundaries at first if conversions are taken back', () => {
    const days: Day[] = [
      [2_000, 200, 200],
      [3_000, 100, 100],
      [4_000, 60, 60],
      [5_000, 50, 50],
    ];
    expect(boundariesOf(days)).toEqual(about([3.3568694, 2.6872615, 2.3159134, 2.0252221], 5));
  });

  it('has no look after the planned sample is complete', () => {
    const result = judged([...five(100, 200, 300, 400, 500), [8_000, 800, 1_000]]);
    expect(result.confidence).toBeGreaterThan(0.9999);
    expect(result.statistics.verdict).toBe('inconclusive');
    expect(result.statistics.planned).toMatchObject({ looks: 5, lookedOn: dateOf(4), isOver: true });
    expect(result.duration.daysLeft).toBeNull();
  });

  // An uneven split of 10,000 participants has slightly less information than the plan.
  it('has its last look if at most 1 % of the planned information is missing', () => {
    const [last, earlier] = [4_960, 4_940].map(
      (participants) => judged([...five(100, 200, 300, 400), [participants, 496, 496]]).statistics.planned,
    );
    expect(last).toMatchObject({ looks: 5, isOver: true, criticalValue: expect.closeTo(2.03, 2) as number });
    expect(earlier).toMatchObject({ looks: 5, isOver: false });
  });

  // In the second case, rounding makes the information 0.9899999999999999 of the plan.
  it.each([
    [10_000, 1, 4_950, 4_950, true],
    [600, 2, 396, 198, true],
    [10_000, 1, 4_949, 4_949, false],
  ])(
    'has its last look at 99 % of the information of %d participants, by shares of %d to 1',
    (...setting) => {
      const [participants, share, control, variation, isOver] = setting;
      const arms = [totals(control, Math.floor(control / 2)), totals(variation, Math.floor(variation / 2))];
      const { phases } = goal(arms);
      const looks = [{ date: dateOf(0), daysRunning: 1, phases }];
      const shares = new Map([
        [1, share],
        [2, 1],
      ]);
      const plan = { ...PLAN, participants, shares };
      const [[, result]] = evaluate(experiment([goal(arms, { looks })], { plan, rules: PLANNED }));
      expect(result.statistics.planned).toMatchObject({ looks: 1, isOver });
    },
  );

  // A single look at the end is the fixed test, with a critical value of 1.96.
  it('spends all error at the planned end, regardless of the information', () => {
    const result = judged([[3_000, 300, 365]], { end: dateOf(0) });
    expect(result.statistics.planned!.criticalValue).toBeCloseTo(1.959964, 5);
    expect(result.statistics.planned).toMatchObject({ decidedOn: dateOf(0), isOver: true });
    expect(result.statistics.planned!.informationFraction).toBeCloseTo(0.6, 12);
    const late = judged(
      [
        [3_000, 300, 300],
        [3_000, 300, 400],
      ],
      { end: dateOf(0) },
    );
    expect(late.statistics).toMatchObject({ verdict: 'inconclusive', planned: { looks: 1 } });
  });

  it("starts when the plan's minimums are met, regardless of the project's current ones", () => {
    const days = five(150, 300, 450, 600, 750);
    const looksWith = (plan: Partial<ExperimentPlan>): unknown =>
      judged(days, plan, { rules: { ...PLANNED, minConversions: 10_000 } }).statistics.planned?.decidedOn;
    expect(looksWith({})).toBe(dateOf(1));
    expect(looksWith({ minRuntimeDays: 4 })).toBe(dateOf(3));
    expect(looksWith({ minConversions: 400 })).toBe(dateOf(3));
  });

  it('starts when the variation has been compared for the minimum runtime', () => {
    const days = five(150, 300, 450, 600, 750);
    const looks = looksOf(days).map((look, day) => ({
      ...look,
      daysCompared: new Map([[2, Math.min(day + 1, 3)]]),
    }));
    const looksWith = (minRuntimeDays: number): unknown =>
      judged(days, { minRuntimeDays }, {}, { looks }).statistics.planned?.decidedOn;
    expect([looksWith(3), looksWith(4)]).toEqual([dateOf(2), null]);
  });

  it('forecasts the last look for when the sample is complete, or for the planned end if that is earlier', () => {
    const leftUntil = (daysToPlannedEnd: number | null): number | null =>
      judged(five(100, 205), {}, { daysRunning: 10, daysToPlannedEnd }).duration.daysLeft;
    // Each variation has 2,000 of 5,000 participants after ten days, so the sample is complete after 15 more days.
    expect([leftUntil(null), leftUntil(20), leftUntil(2.5)]).toEqual([15, 15, 2.5]);
  });

  it('skips looks with less than 1 % of new information', () => {
    const days: Day[] = [
      [1_000, 100, 100],
      [1_040, 104, 104],
      [1_060, 106, 106],
    ];
    expect(judged(days).statistics.planned).toMatchObject({ looks: 2, lookedOn: dateOf(2) });
  });

  it("uses the pair's share of the plan", () => {
    const shares = new Map([
      [1, 50],
      [2, 25],
      [3, 25],
    ]);
    // The planned information is 10,000·(50·25)/(75·100) = 1,666.7, of which 1,000·1,000/2,000 = 500 is complete.
    const result = judged(five(100), { shares });
    expect(result.statistics.planned!.informationFraction).toBeCloseTo(0.3, 12);
  });

  it('divides alpha by the number of comparisons if the project has a correction', () => {
    const rules = { ...PLANNED, correction: 'holm' as const };
    const one = goal([totals(5_000, 500), totals(5_000, 560)], { looks: looksOf([[5_000, 500, 560]]) });
    const [single, several] = [[one], [one, one]].map(
      (goals) => evaluate(experiment(goals, { plan: PLAN, rules }))[0][1].statistics.planned!.criticalValue,
    );
    // The quantiles of the normal distribution at 1 - 0.05/2 and 1 - 0.05/4.
    expect(single).toBeCloseTo(1.959964, 5);
    expect(several).toBeCloseTo(2.241403, 5);
  });

  it('keeps the number of comparisons from its first start', () => {
    const rules = { ...PLANNED, correction: 'holm' as const };
    const looks = looksOf([[5_000, 500, 560]]);
    const one = goal([totals(5_000, 500), totals(5_000, 560)], { looks });
    const guardrail = { ...one, isGuardrail: true };
    const plan = { ...PLAN, comparisons: { goals: 2, guardrails: null } };
    const criticals = [[one], [one, one, one], [guardrail, guardrail]].map(
      (goals) => evaluate(experiment(goals, { plan, rules }))[0][1].statistics.planned!.criticalValue,
    );
    // The quantile of the normal distribution at 1 - 0.05/4. There were no guardrails at the first start, so their
    // current number applies.
    criticals.forEach((critical) => expect(critical).toBeCloseTo(2.241403, 5));
  });

  it('computes boundaries of a goal only when the goal is asked for', () => {
    const one = goal([totals(5_000, 500), totals(5_000, 560)], { looks: looksOf([[5_000, 500, 560]]) });
    const criticals = jest.fn(plannedCriticals);
    const goals = evaluateEach(experiment([one, one], { plan: PLAN, rules: PLANNED }), undefined, criticals);
    goals.next();
    expect(criticals).toHaveBeenCalledTimes(1);
    goals.next();
    expect(criticals).toHaveBeenCalledTimes(2);
  });

  it('has no verdict with a filter or before the first look', () => {
    const filtered = judged(five(150, 300), {}, {}, { looks: null });
    expect(filtered.statistics).toMatchObject({ method: 'planned', verdict: 'inconclusive', planned: null });
    const early = judged(five(150), { minRuntimeDays: 7 });
    expect(early.statistics.planned).toMatchObject({ looks: 0, lookedOn: null, isOver: false });
    expect(early.statistics.planned!.criticalValue).toBeCloseTo(4.8769, 3);
    expect(early.duration.daysLeft).not.toBeNull();
  });

  it('falls back to sequential without a plan', () => {
    const result = judged(five(150, 300, 450, 600, 750), {}, { plan: null });
    expect(result.statistics).toMatchObject({ method: 'sequential', verdict: 'winner', planned: null });
  });

  it('continues as sequential if the plan was removed before it decided', () => {
    const decided = judged(five(150, 300, 310, 410, 500), { removedOn: dateOf(3) });
    expect(decided.statistics).toMatchObject({ method: 'planned', verdict: 'winner' });
    expect(decided.statistics.planned).toMatchObject({ decidedOn: dateOf(1) });
    const undecided = judged(five(150, 300, 310, 410, 500), { removedOn: dateOf(1) });
    expect(undecided.statistics).toMatchObject({
      method: 'sequential',
      verdict: 'inconclusive',
      planned: null,
    });
  });

  it('never has a verdict with a sample ratio mismatch', () => {
    const result = judged(five(150, 300, 450), {}, { hasSampleRatioMismatch: true });
    expect(result).toMatchObject({ isConfident: false, statistics: { verdict: 'untrustworthy' } });
  });
});
