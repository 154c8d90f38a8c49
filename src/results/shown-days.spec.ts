import { DAY_MICROS } from '../common/time/days';
import type { RunSummary } from './experiment-facts';
import { EVERYBODY } from './result-filter';
import { daysRunning, shownDays } from './shown-days';

const NEVER: RunSummary = { firstStartedAt: null, lastEndedAt: null, endedMicros: 0, runningSince: null };
/** A moment in the day. */
const on = (day: number): number => (day + 0.4) * DAY_MICROS;
const NOW = on(120);

describe('daysRunning', () => {
  it.each<[what: string, runs: Partial<RunSummary>, days: number]>([
    ['never', {}, 0],
    ['once', { endedMicros: 2.5 * DAY_MICROS }, 2.5],
    ['since three days', { runningSince: on(117) }, 3],
    ['before and again', { endedMicros: 2.5 * DAY_MICROS, runningSince: on(119) }, 3.5],
    ['from a moment later in this second on', { runningSince: NOW + 999_999 }, 0],
  ])('%s', (_, runs, days) => expect(daysRunning({ ...NEVER, ...runs }, NOW)).toBeCloseTo(days, 12));
});

describe('shownDays', () => {
  const shown = (runs: Partial<RunSummary>, events: [number, number] | null, filter = {}): unknown => {
    const [firstEventAt, lastEventAt] = events === null ? [null, null] : events.map(on);
    const days = shownDays(
      { runs: { ...NEVER, ...runs }, firstEventAt, lastEventAt },
      { ...EVERYBODY, ...filter },
      NOW,
    );
    expect(days.every((day, index) => day === days[0] + index)).toBe(true);
    return days.length === 0 ? null : [days[0], days.at(-1)];
  };
  const ended = { firstStartedAt: on(98), lastEndedAt: on(105) };
  const running = { firstStartedAt: on(98), runningSince: on(98) };

  it.each<[what: string, shown: unknown, expected: [number, number] | null]>([
    ['nothing ever happened', shown({}, null), null],
    ['it never ran', shown({}, [100, 103]), [100, 103]],
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
