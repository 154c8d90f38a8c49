import { GroupSequentialTest } from '../statistics/group-sequential';
import { type LookTime, plannedCriticals } from '../statistics/planned-boundaries';
import { KnownComparisons } from './known-comparisons';

/** Four looks of a goal. Each growth of the evidence stands for a different goal. */
const looksOf = (growth: number): LookTime[] =>
  [0.25, 0.5, 0.75, 1].map((information) => ({
    information,
    mean: 1,
    error: 0.1 / information ** (growth / 2),
    isLast: information === 1,
  }));

describe('the boundaries of a plan', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are computed once for the same looks', () => {
    const spend = jest.spyOn(GroupSequentialTest.prototype, 'spend');
    const known = new KnownComparisons();
    for (const growth of [1, 2, 1, 2]) {
      known.criticals(looksOf(growth), 0.05);
    }
    expect(spend).toHaveBeenCalledTimes(2 * 4);
    known.criticals(looksOf(1), 0.01);
    expect(spend).toHaveBeenCalledTimes(3 * 4);
  });

  it('are the same as without the cache', () => {
    const known = new KnownComparisons();
    for (const growth of [1, 2, 1]) {
      expect(known.criticals(looksOf(growth), 0.05)).toEqual(plannedCriticals(looksOf(growth), 0.05));
    }
  });
});
