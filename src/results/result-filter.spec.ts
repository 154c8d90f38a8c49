import { DAY_MICROS } from '../common/time/clock';
import { countedGoal, countsEntry, EVERYBODY } from './result-filter';
import type { ResultFilter } from './experiment-results';

const MATURE: ResultFilter = { ...EVERYBODY, cohorts: 'mature' };
const TODAY = 20_000;

/** The last entry day that counts on `TODAY`. It must be the same at the first and the last microsecond of that day. */
function lastEntry(window: number | null, filter: ResultFilter): number | null {
  const goal = { id: 1, conversion_window_days: window };
  const [atFirst, atLast] = [0, DAY_MICROS - 1].map((time) =>
    countedGoal(goal, filter, TODAY * DAY_MICROS + time),
  );
  expect(atLast).toEqual(atFirst);
  expect(atFirst).toMatchObject({ id: 1, windowDays: window });
  return atFirst.lastEntry;
}

describe('mature cohorts', () => {
  it.each<[what: string, window: number | null, filter: ResultFilter, last: number | null]>([
    ['a one-day window that ended yesterday', 1, MATURE, TODAY - 2],
    ['a seven-day window', 7, MATURE, TODAY - 8],
    ['a window that ends by a past end date', 7, { ...MATURE, end: TODAY - 3 }, TODAY - 10],
    ['an end date of yesterday', 7, { ...MATURE, end: TODAY - 1 }, TODAY - 8],
    ['an end date of today, which is not over', 7, { ...MATURE, end: TODAY }, TODAY - 8],
    ['an end date in the future', 7, { ...MATURE, end: TODAY + 30 }, TODAY - 8],
    ['no window, which includes everyone', null, MATURE, null],
    ['no cohort filter', 7, { ...EVERYBODY, end: TODAY - 3 }, null],
  ])('limit the entry days correctly with %s', (_, window, filter, last) =>
    expect(lastEntry(window, filter)).toBe(last),
  );

  it('include the last entry day', () => {
    const goal = { id: 1, windowDays: 7, lastEntry: 10 };
    expect([9, 10, 11].map((day) => countsEntry(goal, day))).toEqual([true, true, false]);
    expect(countsEntry({ ...goal, lastEntry: null }, 11)).toBe(true);
  });
});
