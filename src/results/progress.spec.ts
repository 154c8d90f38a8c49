import { ENTERED } from '../events/result-cell.entity';
import { evaluate } from '../statistics/evaluation';
import { meanInterval } from '../statistics/means';
import { wilsonInterval } from '../statistics/rate-intervals';
import type { AttachedGoal } from './experiment-facts';
import { progressOf } from './progress';
import type { DailyCellSum } from './result-cells';
import { byGoal, goalTotals } from './totals';

const ALPHA = 0.05;
const plain: AttachedGoal = {
  id: 1,
  type: 'custom',
  name: 'Goal',
  api_name: 'goal',
  value_type: 'none',
  direction: 'increase',
};
const revenue: AttachedGoal = { ...plain, id: 2, value_type: 'revenue' };
const variations = [
  { id: 11, name: 'Original', is_original: true, traffic_allocation: null },
  { id: 12, name: 'Variation', is_original: false, traffic_allocation: null },
];
const NOTHING = { participants: 0, converters: 0, conversions: 0, value: 0n, valueSquared: 0n };

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
];

const progress = progressOf({ goals: [plain, revenue], variations }, [5, 6, 7, 8], CELLS, ALPHA);

describe('the progress of goals', () => {
  it('tells of every goal, day and variation', () => {
    expect(progress.map(({ goalId }) => goalId)).toEqual([1, 2]);
    for (const { days } of progress) {
      expect(days.map(({ day }) => day)).toEqual([5, 6, 7, 8]);
      expect(
        days.every((day) => day.variations.map(({ variationId }) => variationId).join() === '11,12'),
      ).toBe(true);
    }
  });

  it('counts what happened until then', () => {
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

  it('tells the value per participant of goals with values', () => {
    const [first, , , last] = progress[1].days.map((day) => day.variations);
    expect([first[0].estimate, first[1].estimate]).toEqual([1, 0]);
    expect(last[1].estimate).toBe(3);
    expect(last[1].interval).toEqual(
      meanInterval({ participants: 150, sum: 4_500_000n, sumOfSquares: 900_000_000_000n }, ALPHA),
    );
  });

  it('ends where the results are', () => {
    const sums = byGoal(
      [11, 12].flatMap((id) =>
        [ENTERED, 1, 2].map((goalId) =>
          CELLS.filter((cell) => cell.variationId === id && cell.goalId === goalId).reduce(
            (sum, cell) => ({
              ...sum,
              participants: sum.participants + cell.participants,
              converters: sum.converters + cell.converters,
              conversions: sum.conversions + cell.conversions,
              value: sum.value + cell.value,
              valueSquared: sum.valueSquared + cell.valueSquared,
            }),
            { ...NOTHING, goalId, variationId: id },
          ),
        ),
      ),
    );
    const results = evaluate({
      rules: {
        method: 'sequential',
        correction: 'none',
        significance: 95,
        minConversions: 25,
        minRuntimeDays: 7,
      },
      arms: variations.map(({ id, name, is_original }) => ({ id, name, isOriginal: is_original })),
      goals: [plain, revenue].map((goal) => goalTotals(goal, sums)),
      daysRunning: 4,
      isClosed: false,
      hasSampleRatioMismatch: false,
    });
    const ends = progress.map(({ days }) =>
      days[3].variations.map(({ uplift, upliftInterval }) => [uplift, upliftInterval]),
    );
    const { conversion: rate } = results[0][1].statistics;
    const { value } = results[1][1].statistics;
    expect(ends).toEqual([
      [
        [null, null],
        [rate?.uplift, rate?.upliftInterval],
      ],
      [
        [null, null],
        [value?.uplift, value?.upliftInterval],
      ],
    ]);
    expect(rate?.uplift).toBeCloseTo(1, 12);
  });

  it('has nulls where nothing can be told', () => {
    const [{ days }] = progressOf({ goals: [plain], variations }, [4, 5], [entry(5, 11, 1)], ALPHA);
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
    const found = progressOf({ goals: [plain, revenue], variations: none }, [8], CELLS, ALPHA);
    expect(found.flatMap(({ days }) => days[0].variations.map(({ uplift }) => uplift))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
