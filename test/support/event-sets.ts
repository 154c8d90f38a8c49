import fc from 'fast-check';
import type { AnyEvent } from './brute-force';

/* Random events, of few visitors and close in time, so that everything that can coincide does. */

export const EXPERIMENTS = [1, 2];
export const GOALS = [11, 12];
export const FIRST_DAY = 20_000;
export const DAYS = 5;
const DAY = 86_400_000_000;

/** Some moments are the first or last of a day, and some are shared by several events. */
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

const base = {
  visitor_id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  event_id: fc.integer({ min: 0, max: 200 }).map((number) => `0000-${String(number).padStart(4, '0')}`),
  occurred_at: moment,
  device: fc.integer({ min: 0, max: 3 }),
};

const exposure = fc.record({
  ...base,
  experiment_id: fc.constantFrom(...EXPERIMENTS),
  variation_id: fc.integer({ min: 0, max: 2 }),
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

/** An event's id stands for one event, whoever repeats it. */
function oneEventAnId(events: readonly AnyEvent[]): AnyEvent[] {
  const known = new Map<string, AnyEvent>();
  return events.map((event) => {
    const key = `${event.visitor_id} ${event.event_id}`;
    const same = known.get(key) ?? withOwnVariation(event);
    known.set(key, same);
    return same;
  });
}

/** Variations belong to one experiment each. */
const withOwnVariation = (event: AnyEvent): AnyEvent =>
  event.experiment_id === null
    ? event
    : { ...event, variation_id: event.experiment_id * 100 + (event.variation_id ?? 0) };

export const eventSets: fc.Arbitrary<AnyEvent[]> = fc
  .array(fc.oneof(exposure, conversion) as fc.Arbitrary<AnyEvent>, { maxLength: 40 })
  .map(oneEventAnId);
