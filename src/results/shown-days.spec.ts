import { DAY_MICROS } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import { EVERYBODY } from './result-filter';
import { daysRunning, isClosed, shownDays } from './shown-days';

/** A time on the day. */
const on = (day: number): number => (day + 0.4) * DAY_MICROS;
const NOW = on(120);

/** From one day to another, or until now. */
const run = (start: number, end: number | null = null): Run => ({
  startedAt: on(start),
  endedAt: end === null ? null : on(end),
});

describe('daysRunning', () => {
  it.each<[what: string, runs: Run[], days: number]>([
    ['never', [], 0],
    ['once', [run(100, 102.5)], 2.5],
    ['since three days', [run(117)], 3],
    ['before and again', [run(100, 102.5), run(119)], 3.5],
    [
      'until a moment later in this second',
      [{ startedAt: on(117), endedAt: NOW + 999_999 }],
      3 + 0.999999 / 86_400,
    ],
    ['from a moment later in this second on', [{ startedAt: NOW + 999_999, endedAt: null }], 0],
  ])('%s', (_, runs, days) => expect(daysRunning(runs, EVERYBODY, NOW)).toBeCloseTo(days, 12));

  // Days begin 0.4 days before the moments of the runs.
  it.each<[what: string, runs: Run[], filter: object, days: number]>([
    ['on one day of a run', [run(98, 105)], { start: 101, end: 101 }, 1],
    ['on its first day', [run(98, 105)], { start: 98, end: 98 }, 0.6],
    ['on its last day', [run(98, 105)], { start: 105, end: 105 }, 0.4],
    ['from a day on', [run(98, 105)], { start: 103 }, 2.4],
    ['until a day', [run(98, 105)], { end: 99 }, 1.6],
    ['today', [run(98)], { start: 120, end: 120 }, 0.4],
    ['until the future', [run(118)], { end: 130 }, 2],
    ['on both sides of a pause', [run(98, 100), run(102, 104)], { start: 99, end: 102 }, 2],
    ['in a pause', [run(98, 100), run(102, 104)], { start: 101, end: 101 }, 0],
    ['before it began', [run(98, 105)], { end: 97 }, 0],
  ])('%s', (_, runs, filter, days) =>
    expect(daysRunning(runs, { ...EVERYBODY, ...filter }, NOW)).toBeCloseTo(days, 12),
  );
});

it('a filter is complete when its last day is over', () => {
  expect([119, 120, null].map((end) => isClosed({ end }, NOW))).toEqual([true, false, false]);
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
    ['nothing ever happened', shown([], null), null],
    ['it never ran', shown([], [100, 103]), [100, 103]],
    ['it ran longer', shown(ended, [100, 103]), [98, 105]],
    ['events came longer', shown(ended, [95, 109]), [95, 109]],
    ['it runs', shown(running, [100, 103]), [98, 120]],
    ['it runs and a clock is ahead', shown(running, [100, 121]), [98, 121]],
    ['from later on', shown(ended, [100, 103], { start: 101 }), [101, 105]],
    ['from before it began', shown(ended, [100, 103], { start: 1 }), [98, 105]],
    ['until earlier', shown(ended, [100, 103], { end: 101 }), [98, 101]],
    ['until after it ended', shown(ended, [100, 103], { end: 110 }), [98, 110]],
    ['until the future', shown(ended, [100, 103], { end: 999 }), [98, 120]],
    ['one day', shown(ended, [100, 103], { start: 101, end: 101 }), [101, 101]],
    ['until before it began', shown(ended, [100, 103], { end: 97 }), null],
    ['from after it ended', shown(ended, [100, 103], { start: 106 }), null],
    ['from after it ended until today', shown(ended, [100, 103], { start: 106, end: 120 }), [106, 120]],
  ])('%s', (_, days, expected) => expect(days).toEqual(expected));
});
