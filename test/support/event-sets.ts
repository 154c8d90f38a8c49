import fc from 'fast-check';
import { UNKNOWN_PHASE_NUMBER } from '../../src/events/counting-rules';
import type { AnyEvent, AnyLink, Course } from './brute-force';

/* Generates random events. They have few visitors and are close in time, so that all kinds of coincidences occur. */

export const EXPERIMENTS = [1, 2];
export const GOALS = [11, 12];
export const FIRST_DAY = 20_000;
export const DAYS = 5;
const DAY = 86_400_000_000;

/** Event times. Some are at the start or end of a day, and several events can have the same time. */
const moment = fc
  .tuple(
    fc.integer({ min: FIRST_DAY, max: FIRST_DAY + DAYS - 1 }),
    fc.oneof(
      fc.constantFrom(0, 1, DAY - 1),
      fc.integer({ min: 0, max: 40 }).map((step) => step * 2_000_000_000),
    ),
  )
  .map(([day, rest]) => day * DAY + rest);

const value = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -50_000, max: 50_000 }),
  fc.constantFrom(10_000_000_000_000, -10_000_000_000_000, 9_999_999_999_999),
);

const visitor = fc.constantFrom('a', 'b', 'c', 'd', 'e');

const base = {
  visitor_id: visitor,
  event_id: fc.integer({ min: 0, max: 200 }).map((number) => `0000-${String(number).padStart(4, '0')}`),
  occurred_at: moment,
  arrived_at: fc.oneof(fc.constant(null), moment),
  device: fc.integer({ min: 0, max: 3 }),
};

const exposure = fc.record({
  ...base,
  experiment_id: fc.constantFrom(...EXPERIMENTS),
  variation_id: fc.integer({ min: 0, max: 2 }),
  phase: fc.constantFrom(null, null, 1, 2, 3, UNKNOWN_PHASE_NUMBER),
  goal_id: fc.constant(null),
  value: fc.constant(null),
});

const conversion = fc.record({
  ...base,
  experiment_id: fc.constant(null),
  variation_id: fc.constant(null),
  goal_id: fc.constantFrom(...GOALS),
  value,
});

/** Makes events with the same visitor and event id identical, as duplicates are. */
function oneEventAnId(events: readonly AnyEvent[]): AnyEvent[] {
  const known = new Map<string, AnyEvent>();
  return events.map((event) => {
    const key = `${event.visitor_id} ${event.event_id}`;
    const same = known.get(key) ?? withOwnVariation(event);
    known.set(key, same);
    return same;
  });
}

/** Gives each experiment its own variations. */
const withOwnVariation = (event: AnyEvent): AnyEvent =>
  event.experiment_id === null
    ? event
    : { ...event, variation_id: event.experiment_id * 100 + (event.variation_id ?? 0) };

export const eventSets: fc.Arbitrary<AnyEvent[]> = fc
  .array(fc.oneof(exposure, conversion) as fc.Arbitrary<AnyEvent>, { maxLength: 40 })
  .map(oneEventAnId);

/**
 * Links among the visitors of `eventSets` and two ids without events, one of which sorts before all visitors and the
 * other after.
 */
export const linkSets: fc.Arbitrary<AnyLink[]> = fc.array(
  fc
    .record({
      kind: fc.constantFrom('identify' as const, 'alias' as const),
      from: fc.oneof(visitor, fc.constantFrom('0', 'z')),
      to: fc.oneof(visitor, fc.constantFrom('0', 'z')),
      linkedAt: moment,
    })
    .filter(({ from, to }) => from !== to),
  { maxLength: 6 },
);

/** Goal caps that affect all positive totals, some of them, hardly any, or none. */
const valueCaps: fc.Arbitrary<Map<number, number>> = fc
  .tuple(
    ...GOALS.map(() => fc.constantFrom(null, null, 1, 20_000, 60_000, 9_999_999_999_999, 10_000_000_000_000)),
  )
  .map((caps) => {
    const known = GOALS.map((goal, index) => [goal, caps[index]] as const);
    return new Map(known.flatMap(([goal, cap]) => (cap === null ? [] : [[goal, cap]])));
  });

/** Up to four runs of an experiment, with times that events can also have. The last run can still be active. */
export const experimentCourses: fc.Arbitrary<Course> = fc
  .tuple(
    fc.uniqueArray(moment, { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 0, max: 1_500 }),
    fc.option(moment, { nil: null }),
    fc.array(moment, { minLength: 3, maxLength: 3 }),
    valueCaps,
  )
  .map(([moments, shift, finalAt, began, caps]) => {
    const phases = began.map((at) => at + shift).sort((a, b) => a - b);
    const ends = [...moments].sort((a, b) => a - b);
    const starts = ends.filter((_, index) => index % 2 === 0);
    const runs = starts.map((start, index) => ({
      startedAt: start + shift,
      endedAt: ends[2 * index + 1] ?? null,
    }));
    return {
      runs: runs.filter(({ startedAt, endedAt }) => endedAt === null || startedAt < endedAt),
      phases,
      finalAt,
      caps,
      hasSquares: true,
      recounts: 0,
    };
  });

/** One course per experiment. */
export const courseMaps: fc.Arbitrary<Map<number, Course>> = fc
  .tuple(experimentCourses, experimentCourses)
  .map((courses) => new Map(EXPERIMENTS.map((id, index) => [id, courses[index]])));
