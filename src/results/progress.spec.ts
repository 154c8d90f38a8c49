import { evaluate } from '../statistics/evaluation';
import { DAY_MICROS } from '../common/time/clock';
import { ENTERED } from '../events/cell.entities';
import { meanInterval } from '../statistics/means';
import { wilsonInterval } from '../statistics/rate-intervals';
import { intervalsOf } from '../statistics/shown-intervals';
import type { AttachedGoal } from './experiment-facts';
import { progressOf } from './progress';
import type { DailyCellSum } from './result-cells.store';
import { byGoal, goalTotals, summedOverDays } from './totals';

const ALPHA = 0.05;
const SETTINGS = { method: 'frequentist', alpha: ALPHA, tuning: new Map<number, number>() } as const;
const plain: AttachedGoal = {
  id: 1,
  type: 'custom',
  name: 'Goal',
  api_name: 'goal',
  value_type: 'none',
  direction: 'increase',
  counting: 'unique',
  conversion_window_days: null,
  isGuardrail: false,
};
const revenue: AttachedGoal = { ...plain, id: 2, value_type: 'revenue' };
const every: AttachedGoal = { ...plain, id: 3, counting: 'every' };
const variations = [
  { id: 11, name: 'Original', is_original: true, traffic_allocation: null },
  { id: 12, name: 'Variation', is_original: false, traffic_allocation: null },
];
const NOTHING = {
  phase: 1,
  participants: 0,
  converters: 0,
  conversions: 0,
  value: 0n,
  valueSquared: 0n,
  uncappedValue: 0n,
  conversionsSquared: 0n,
  valueByConversions: 0n,
};

const entry = (day: number, variationId: number, participants: number): DailyCellSum => ({
  ...NOTHING,
  goalId: ENTERED,
  variationId,
  day,
  participants,
});

const conversion = (
  goalId: number,
  day: number,
  variationId: number,
  converters: number,
  [value, valueSquared] = [0n, 0n],
): DailyCellSum => ({
  ...NOTHING,
  goalId,
  variationId,
  day,
  converters,
  conversions: converters,
  value,
  valueSquared,
  uncappedValue: value,
  conversionsSquared: BigInt(converters),
});

const CELLS = [
  entry(5, 11, 100),
  entry(7, 11, 50),
  entry(5, 12, 90),
  entry(7, 12, 60),
  conversion(1, 5, 11, 20),
  conversion(1, 5, 12, 21),
  conversion(1, 7, 12, 19),
  conversion(2, 5, 11, 10, [1_000_000n, 150_000_000_000n]),
  conversion(2, 7, 12, 30, [4_500_000n, 900_000_000_000n]),
  conversion(3, 5, 11, 20),
  conversion(3, 7, 12, 30),
];

/** All cells moved to a single day. */
const onDay = (day: number): DailyCellSum[] => CELLS.map((cell) => ({ ...cell, day }));

const progress = progressOf(
  { goals: [plain, revenue, every], variations, phases: [], hasSquares: true },
  [5, 6, 7, 8],
  CELLS,
  SETTINGS,
);

describe('the progress of goals', () => {
  it('has every goal, day and variation', () => {
    expect(progress.map(({ goalId }) => goalId)).toEqual([1, 2, 3]);
    for (const { days } of progress) {
      expect(days.map(({ day }) => day)).toEqual([5, 6, 7, 8]);
      expect(
        days.every((day) => day.variations.map(({ variationId }) => variationId).join() === '11,12'),
      ).toBe(true);
    }
  });

  it('is cumulative over all days so far', () => {
    const rates = progress[0].days.map(({ variations: [a, b] }) => [
      a.participants,
      a.estimate,
      b.participants,
      b.estimate,
    ]);
    expect(rates).toEqual([
      [100, 0.2, 90, 21 / 90],
      [100, 0.2, 90, 21 / 90],
      [150, 20 / 150, 150, 40 / 150],
      [150, 20 / 150, 150, 40 / 150],
    ]);
    expect(progress[0].days[3].variations[1].interval).toEqual(
      wilsonInterval({ successes: 40, trials: 150 }, ALPHA),
    );
  });

  it('has the value per participant for goals with values', () => {
    const [first, , , last] = progress[1].days.map((day) => day.variations);
    expect([first[0].estimate, first[1].estimate]).toEqual([1, 0]);
    expect(last[1].estimate).toBe(3);
    expect(last[1].interval).toEqual(
      meanInterval({ participants: 150, sum: 4_500_000n, sumOfSquares: 900_000_000_000n }, ALPHA),
    );
  });

  it.each(['sequential', 'frequentist', 'bayesian', 'planned'] as const)(
    'ends with the figures of the results, with several phases and the %s method',
    (method) => {
      const goals = [plain, revenue, every];
      const phases = [
        { number: 1, beganAt: 0, shares: { 11: 5_000, 12: 5_000 }, hasPartialTraffic: false },
        { number: 2, beganAt: 7 * DAY_MICROS, shares: { 11: 9_000, 12: 1_000 }, hasPartialTraffic: false },
      ];
      const cells = CELLS.map((cell) => ({ ...cell, phase: cell.day < 7 ? 1 : 2 }));
      const shared = { alpha: ALPHA, tuning: new Map([[12, 1_200]]) };
      const results = evaluate({
        ...shared,
        rules: { method, correction: 'none', significance: 95, minConversions: 25, minRuntimeDays: 7 },
        arms: variations.map(({ id, name, is_original }) => ({ id, name, isOriginal: is_original })),
        goals: goals.map((goal) =>
          goalTotals(goal, { phases, hasSquares: true }, byGoal(summedOverDays(cells))),
        ),
        upliftPrior: null,
        plan: null,
        daysRunning: 4,
        isClosed: false,
        hasSampleRatioMismatch: false,
      });
      const found = progressOf({ goals, variations, phases, hasSquares: true }, [5, 6, 7, 8], cells, {
        ...shared,
        method,
      });
      for (const [index, { days }] of found.entries()) {
        const { uplift, upliftInterval } = days[3].variations[1];
        const shown = results[index][1];
        expect([uplift, upliftInterval]).toEqual([shown.uplift, intervalsOf(shown).uplift]);
        expect(uplift).not.toBeNull();
      }
    },
  );

  it('compares only participants of the same phase', () => {
    // Phase 1: 500 of 10,000 participants of the original convert, and 50 of 1,000 of the variation. Phase 2: 80 of
    // 1,000, and 800 of 10,000. There is no effect in either phase, but pooling the phases would show an uplift of 47 %.
    const cells = [
      { ...entry(5, 11, 10_000), phase: 1 },
      { ...entry(5, 12, 1_000), phase: 1 },
      { ...conversion(1, 5, 11, 500), phase: 1 },
      { ...conversion(1, 5, 12, 50), phase: 1 },
      { ...entry(6, 11, 1_000), phase: 2 },
      { ...entry(6, 12, 10_000), phase: 2 },
      { ...conversion(1, 6, 11, 80), phase: 2 },
      { ...conversion(1, 6, 12, 800), phase: 2 },
    ];
    const phases = [
      { number: 1, beganAt: 0, shares: { 11: 9_000, 12: 1_000 }, hasPartialTraffic: false },
      { number: 2, beganAt: 1, shares: { 11: 1_000, 12: 9_000 }, hasPartialTraffic: false },
    ];
    const [{ days }] = progressOf(
      { goals: [plain], variations, phases, hasSquares: true },
      [5, 6],
      cells,
      SETTINGS,
    );
    expect(days.map(({ variations: [, one] }) => one.uplift)).toEqual([0, 0]);
  });

  it('has always-valid intervals for single figures if the method is always valid', () => {
    const settings = { ...SETTINGS, method: 'sequential' as const, tuning: new Map([[12, 600]]) };
    const facts = { goals: [plain, revenue], variations, phases: [], hasSquares: true };
    const [rates, values] = progressOf(facts, [7], onDay(7), settings).map(
      ({ days }) => days[0].variations[1],
    );
    // The limits were computed in Python, with the critical value c of the confidence sequence for 150 participants. It
    // is tuned to 300 participants, half of the pair's tuning:
    //   L = -2 ln 0.05, rho2 = (L + log1p(L)) / 300, i = 150 rho2,
    //   c = sqrt(2 (i + 1) / i (log1p(i) / 2 - ln 0.05)) = 3.083569.
    // The rate has Wilson's limits for 40 of 150 with z = c. The value has the limits 3 +- c sqrt(v / 150), where the
    // sample variance is v = (9000 - 450^2 / 150) / 149.
    expect(rates.interval?.[0]).toBeCloseTo(0.1717151032, 9);
    expect(rates.interval?.[1]).toBeCloseTo(0.3894365242, 9);
    expect(values.interval?.[0]).toBeCloseTo(1.1959624016, 9);
    expect(values.interval?.[1]).toBeCloseTo(4.8040375984, 9);
  });

  it('has null for undefined figures', () => {
    const facts = { goals: [plain], variations, phases: [], hasSquares: true };
    const [{ days }] = progressOf(facts, [4, 5], [entry(5, 11, 1)], SETTINGS);
    expect(days[0].variations[0]).toEqual({
      variationId: 11,
      participants: 0,
      estimate: null,
      interval: null,
      uplift: null,
      upliftInterval: null,
    });
    expect(days[1].variations.map(({ estimate, uplift }) => [estimate, uplift])).toEqual([
      [0, null],
      [null, null],
    ]);
  });

  it('compares nothing without an original', () => {
    const none = variations.map((variation) => ({ ...variation, is_original: false }));
    const facts = { goals: [plain, revenue], variations: none, phases: [], hasSquares: true };
    const found = progressOf(facts, [8], CELLS, SETTINGS);
    expect(found.flatMap(({ days }) => days[0].variations.map(({ uplift }) => uplift))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
