import { DAY_MICROS } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import type { ExperimentFacts } from './experiment-facts';
import type { ResultFilter } from './experiment-results';
import {
  countedGoal,
  countsEntry,
  daysRunning,
  daysToPlannedEnd,
  EVERYBODY,
  isClosed,
  shownDays,
} from './result-filter';

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

/** A time on the given day. */
const on = (day: number): number => (day + 0.4) * DAY_MICROS;
const NOW = on(120);

/** A run from day `start` to day `end`, by default until now. */
const run = (start: number, end: number | null = null): Run => ({
  startedAt: on(start),
  endedAt: end === null ? null : on(end),
});

describe('daysRunning', () => {
  it.each<[what: string, runs: Run[], days: number]>([
    ['are 0 without a run', [], 0],
    ['cover one run', [run(100, 102.5)], 2.5],
    ['cover a run that began three days ago', [run(117)], 3],
    ['cover an earlier run and the current one', [run(100, 102.5), run(119)], 3.5],
    [
      'cover a run that ends later in this second',
      [{ startedAt: on(117), endedAt: NOW + 999_999 }],
      3 + 0.999999 / 86_400,
    ],
    ['are 0 for a run that begins later in this second', [{ startedAt: NOW + 999_999, endedAt: null }], 0],
  ])('%s', (_, runs, days) => expect(daysRunning(runs, EVERYBODY, NOW)).toBeCloseTo(days, 12));

  // Runs start and end 0.4 days after the beginning of a day.
  it.each<[what: string, runs: Run[], filter: object, days: number]>([
    ['cover one day of a run', [run(98, 105)], { start: 101, end: 101 }, 1],
    ['cover the first day of a run', [run(98, 105)], { start: 98, end: 98 }, 0.6],
    ['cover the last day of a run', [run(98, 105)], { start: 105, end: 105 }, 0.4],
    ['start on a given day', [run(98, 105)], { start: 103 }, 2.4],
    ['end on a given day', [run(98, 105)], { end: 99 }, 1.6],
    ['cover today', [run(98)], { start: 120, end: 120 }, 0.4],
    ['end now if the end date is in the future', [run(118)], { end: 130 }, 2],
    ['cover both sides of a pause', [run(98, 100), run(102, 104)], { start: 99, end: 102 }, 2],
    ['are 0 during a pause', [run(98, 100), run(102, 104)], { start: 101, end: 101 }, 0],
    ['are 0 before the start', [run(98, 105)], { end: 97 }, 0],
  ])('%s', (_, runs, filter, days) =>
    expect(daysRunning(runs, { ...EVERYBODY, ...filter }, NOW)).toBeCloseTo(days, 12),
  );
});

it('a filter is complete when its last day is over', () => {
  expect([119, 120, null].map((end) => isClosed({ end }, NOW))).toEqual([true, false, false]);
});

// The plan's last day is 1970-01-11, day 10, which ends 11 days after the epoch.
it.each([
  ['running', 2.75],
  ['pause', 3],
] as const)('the days to the planned end of an experiment with the status %s', (status, days) => {
  const plan = { end: '1970-01-11' } as ExperimentFacts['plan'];
  const facts = { plan, experiment: { status } };
  expect(daysToPlannedEnd(facts, 8.25 * DAY_MICROS)).toBe(days);
  expect(daysToPlannedEnd(facts, 20 * DAY_MICROS)).toBe(0);
  expect(daysToPlannedEnd({ ...facts, plan: null }, 8.25 * DAY_MICROS)).toBeNull();
});

describe('shownDays', () => {
  const shown = (runs: Run[], events: [number, number] | null, filter = {}): unknown => {
    const [firstEventAt, lastEventAt] = events === null ? [null, null] : events.map(on);
    const days = shownDays({ runs, firstEventAt, lastEventAt }, { ...EVERYBODY, ...filter }, NOW);
    expect(days.every((day, index) => day === days[0] + index)).toBe(true);
    return days.length === 0 ? null : [days[0], days.at(-1)];
  };
  const ended = [run(98, 105)];
  const running = [run(98)];

  it.each<[what: string, shown: unknown, expected: [number, number] | null]>([
    ['are null without runs and events', shown([], null), null],
    ['cover events of an experiment that never ran', shown([], [100, 103]), [100, 103]],
    ['cover a run that lasted longer than events', shown(ended, [100, 103]), [98, 105]],
    ['cover events that lasted longer than the run', shown(ended, [95, 109]), [95, 109]],
    ['continue until today while it is running', shown(running, [100, 103]), [98, 120]],
    ['continue until the last event if a clock is ahead', shown(running, [100, 121]), [98, 121]],
    ['begin at a later start date', shown(ended, [100, 103], { start: 101 }), [101, 105]],
    ['begin with the run if the start date is earlier', shown(ended, [100, 103], { start: 1 }), [98, 105]],
    ['end at an earlier end date', shown(ended, [100, 103], { end: 101 }), [98, 101]],
    ['end at an end date after the run', shown(ended, [100, 103], { end: 110 }), [98, 110]],
    ['end today if the end date is in the future', shown(ended, [100, 103], { end: 999 }), [98, 120]],
    ['cover one day', shown(ended, [100, 103], { start: 101, end: 101 }), [101, 101]],
    ['are null if the end date is before the run', shown(ended, [100, 103], { end: 97 }), null],
    ['are null if the start date is after the run', shown(ended, [100, 103], { start: 106 }), null],
    [
      'cover an explicit range after the run until today',
      shown(ended, [100, 103], { start: 106, end: 120 }),
      [106, 120],
    ],
  ])('%s', (_, days, expected) => expect(days).toEqual(expected));
});
