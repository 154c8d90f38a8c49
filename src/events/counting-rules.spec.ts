import fc from 'fast-check';
import { cellsOf } from '../../test/support/attributed';
import { AnyEvent, withoutRepeats } from '../../test/support/brute-force';
import { courseMaps, DAYS, eventSets, EXPERIMENTS, FIRST_DAY } from '../../test/support/event-sets';
import {
  CountingRules,
  counts,
  countSame,
  goalsWithOtherCaps,
  parseRules,
  phaseOf,
  UNKNOWN_PHASE_NUMBER,
  rulesText,
} from './counting-rules';

const DAY = 86_400_000_000;

const at = (startedAt: number, endedAt: number | null, finalAt: number | null = null): CountingRules => ({
  runs: [{ startedAt, endedAt }],
  finalAt,
  phases: [startedAt],
  caps: new Map(),
  hasSquares: true,
  recounts: 0,
});

describe('rules that count the same attributed events', () => {
  it('give the same cells', () => {
    const now = fc.integer({ min: FIRST_DAY, max: FIRST_DAY + DAYS }).map((each) => each * DAY);
    fc.assert(
      fc.property(eventSets, courseMaps, courseMaps, now, (all, before, after, present) => {
        const events = withoutRepeats(all).filter(({ arrived_at }) => (arrived_at ?? 0) < present);
        for (const id of EXPERIMENTS) {
          const [old, young] = [before.get(id)!, after.get(id)!];
          const exposed = events.filter(({ experiment_id }) => experiment_id === id);
          const visitors = exposed.map(({ visitor_id }) => visitor_id);
          const all = events.filter(({ visitor_id }) => visitors.includes(visitor_id));
          const seen = { first: earliest(exposed), last: latest(all) };
          const isCapped = cellsOf(events, new Map([[id, old]])).some(({ goal_id }) =>
            goalsWithOtherCaps(old, young).includes(goal_id),
          );
          if (countSame(old, young, seen, present) && !isCapped) {
            expect(cellsOf(events, new Map([[id, young]]))).toEqual(cellsOf(events, new Map([[id, old]])));
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  const phased = (began: number): CountingRules => ({ ...at(DAY, null), phases: [DAY, began] });
  const seen = { first: 2 * DAY, last: 5 * DAY };
  const earliest = (events: readonly AnyEvent[]): number | null =>
    events.length === 0 ? null : Math.min(...events.map(({ occurred_at }) => occurred_at));
  const latest = (events: readonly AnyEvent[]): number | null =>
    events.length === 0 ? null : Math.max(...events.map(({ occurred_at }) => occurred_at));
  it.each<[string, CountingRules, CountingRules, boolean]>([
    ['may differ in an end after the last event', at(DAY, null), at(DAY, 5 * DAY + 1), true],
    ['cannot differ in an end at the last event', at(DAY, null), at(DAY, 5 * DAY), false],
    ['may differ in an earlier start', at(2 * DAY, null), at(DAY, null), true],
    ['cannot differ in a later start', at(2 * DAY, null), at(3 * DAY, null), false],
    ['may differ in archiving if the result is not final yet', at(DAY, null), at(DAY, null, 9 * DAY), true],
    [
      'cannot differ in archiving if the result is already final',
      at(DAY, null),
      at(DAY, null, 6 * DAY),
      false,
    ],
    ['may differ in a phase that begins after the last event', at(DAY, null), phased(5 * DAY + 1_000), true],
    ['cannot differ in a phase that begins at the last event', at(DAY, null), phased(5 * DAY), false],
    ['may differ in unarchiving before the result is final', at(DAY, null, 8 * DAY), at(DAY, null), true],
    ['cannot differ in unarchiving after the result is final', at(DAY, null, 6 * DAY), at(DAY, null), false],
  ])('%s', (_, before, after, isSame) => {
    expect(countSame(before, after, seen, 7 * DAY)).toBe(isSame);
  });
});

describe('an event', () => {
  it.each<[string, number, boolean]>([
    ['in the millisecond before the start does not count', DAY + 3_999, false],
    ['in the millisecond of the start counts', DAY + 4_000, true],
    ['just before the end counts', 2 * DAY - 1, true],
    ['at the end does not count', 2 * DAY, false],
  ])('%s', (_, occurred_at, isCounted) => {
    expect(counts(at(DAY + 4_567, 2 * DAY), { occurred_at })).toBe(isCounted);
  });

  it.each<[string, number | null, boolean]>([
    ['that was not late counts', null, true],
    ['that arrived just before the result became final counts', 9 * DAY - 1, true],
    ['that arrived when the result became final does not count', 9 * DAY, false],
  ])('%s', (_, arrived_at, isCounted) => {
    expect(counts(at(DAY, 2 * DAY, 9 * DAY), { occurred_at: DAY, arrived_at })).toBe(isCounted);
  });
});

describe('the phase of an exposure', () => {
  const rules = { ...at(DAY, null), phases: [DAY, 2 * DAY + 4_567] };

  it.each<[string, at: number, said: number | null, phase: number]>([
    ['before the start of the experiment is the first phase', 0, null, 1],
    ['in the millisecond before the start of the second phase is the first phase', 2 * DAY + 3_999, null, 1],
    ['in the millisecond in which the second phase starts is the second phase', 2 * DAY + 4_000, null, 2],
    ['is the reported phase if that phase exists', 3 * DAY, 1, 1],
    ['is the phase at the time of the exposure if the reported phase is beyond the last one', DAY, 3, 1],
    ['is the phase at the time of the exposure if the reported phase is 0', 3 * DAY, 0, 2],
    ['is unknown if it is reported as unknown', 3 * DAY, UNKNOWN_PHASE_NUMBER, UNKNOWN_PHASE_NUMBER],
  ])('%s', (_, moment, said, phase) => {
    expect(phaseOf(rules, moment, said)).toBe(phase);
  });
});

it('counting rules stay the same when they are stored and parsed', () => {
  fc.assert(
    fc.property(courseMaps, (courses) => {
      for (const rules of courses.values()) {
        expect(parseRules(rulesText(rules))).toEqual(rules);
      }
    }),
  );
});

it('rules stored without phases, caps and squares get defaults, and results with events are rebuilt', () => {
  const early = parseRules(JSON.stringify({ runs: [{ startedAt: DAY, endedAt: null }], finalAt: null }));
  expect(early).toMatchObject({ phases: [], caps: new Map(), hasSquares: false });
  const seen = { first: 2 * DAY, last: 5 * DAY };
  expect(countSame(early, { ...early, hasSquares: true }, seen, 7 * DAY)).toBe(false);
  expect(countSame(early, { ...early, hasSquares: true }, { first: null, last: null }, 7 * DAY)).toBe(true);
});
