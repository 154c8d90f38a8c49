import { arm, goal, totals } from '../statistics/fixtures/experiments';
import { GroupSequentialTest } from '../statistics/group-sequential';
import { takenLooks } from '../statistics/planned';
import type { ExperimentPlan, Look } from '../statistics/input';
import { KnownComparisons } from './known-comparisons';

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
const PAIR = [arm(1), arm(2)] as const;

/** Looks with 1,000 new participants per variation and day. Each number of converters stands for a different goal. */
const looksOf = (converters: number, days = 4): Look[] =>
  Array.from({ length: days }, (_, index) => ({
    date: `2026-05-0${index + 1}`,
    daysRunning: index + 1,
    phases: goal([0, converters].map((more) => totals(1_000 * (index + 1), (100 + more) * (index + 1))))
      .phases,
  }));

describe('the looks of a plan', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are computed once for each goal and error probability', () => {
    const spend = jest.spyOn(GroupSequentialTest.prototype, 'spend');
    const known = new KnownComparisons();
    for (const converters of [1, 2, 1, 2]) {
      known.take(goal([]), looksOf(converters), PAIR, PLAN, 0.05);
    }
    expect(spend).toHaveBeenCalledTimes(2 * 4);
    known.take(goal([]), looksOf(1), PAIR, PLAN, 0.01);
    expect(spend).toHaveBeenCalledTimes(3 * 4);
  });

  it('are the same as without the cache', () => {
    const known = new KnownComparisons();
    for (const [converters, length] of [
      [80, 1],
      [1, 4],
      [25, 3],
    ]) {
      const looks = looksOf(converters);
      const taken = known.take(goal([]), looks, PAIR, PLAN, 0.05);
      expect(taken).toEqual(takenLooks(goal([]), looks, PAIR, PLAN, 0.05));
      expect([converters, taken.length]).toEqual([converters, length]);
    }
  });
});
