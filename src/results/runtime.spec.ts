import { DAY_MICROS } from '../common/time/clock';
import type { Phase, PhaseShares } from '../experiments/experiment-run.store';
import { EVERYBODY } from './result-filter';
import { runtimeOf } from './runtime';

const NOW = 40.5 * DAY_MICROS;
const [ORIGINAL, EARLY, LATE] = [1, 2, 3];
const variations = [ORIGINAL, EARLY, LATE].map((id) => ({
  id,
  name: String(id),
  is_original: id === ORIGINAL,
  traffic_allocation: null,
}));

const phase = (number: number, beganOn: number, shares: PhaseShares): Phase => ({
  number,
  beganAt: beganOn * DAY_MICROS,
  shares,
  hasPartialTraffic: false,
});
/** Runs from day 1 until now, with a pause from day 20 to day 25. */
const runs = [
  { startedAt: DAY_MICROS, endedAt: 20 * DAY_MICROS },
  { startedAt: 25 * DAY_MICROS, endedAt: null },
];
const comparedIn = (phases: Phase[], days = {}): unknown => {
  const { daysCompared } = runtimeOf({ runs, phases, variations }, NOW)({ ...EVERYBODY, ...days });
  return [ORIGINAL, EARLY, LATE].map((id) => daysCompared?.get(id));
};

describe('runtimeOf', () => {
  it('is the same for all variations of a single phase, even if the phase began later than the first run', () => {
    const { daysRunning, daysCompared } = runtimeOf(
      { runs, phases: [phase(1, 3, { 1: 40, 2: 30, 3: 30 })], variations },
      NOW,
    )(EVERYBODY);
    expect([daysRunning, ...(daysCompared?.values() ?? [])]).toEqual([34.5, 34.5, 34.5, 34.5]);
  });

  const changes = [
    phase(1, 1, { 1: 50, 2: 50 }),
    phase(2, 22, { 1: 40, 2: 30, 3: 30 }),
    phase(3, 35, { 2: 50, 3: 50 }),
    phase(4, 37, { 1: 50, 3: 50 }),
  ];

  it('counts the days on which a variation and the original both had a share', () => {
    expect(comparedIn(changes)).toEqual([32.5, 29, 13.5]);
  });

  it('counts only the days of a filter', () => {
    expect(comparedIn(changes, { start: 19, end: 25 })).toEqual([2, 2, 1]);
  });

  it('does not depend on the variation if nothing was published', () => {
    expect(comparedIn([])).toEqual([undefined, undefined, undefined]);
  });
});
