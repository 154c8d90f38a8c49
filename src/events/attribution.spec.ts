import fc from 'fast-check';
import { AnyEvent, countByHand, crossoversByHand, withoutRepeats } from '../../test/support/brute-force';
import { DAYS, eventSets, EXPERIMENTS, FIRST_DAY, GOALS } from '../../test/support/event-sets';
import { attribute, Contribution, VisitorEvent } from './attribution';
import { CellChanges } from './cell-changes';
import { CROSSED, ENTERED } from './result-cell.entity';

const DAY = 86_400_000_000;

function visitorsOf(events: readonly AnyEvent[]): AnyEvent[][] {
  return [...new Set(events.map(({ visitor_id }) => visitor_id))].map((visitor) =>
    events.filter(({ visitor_id }) => visitor_id === visitor),
  );
}

function cellsOf(events: readonly AnyEvent[]): Contribution[] {
  const sums = new CellChanges();
  for (const own of visitorsOf(withoutRepeats(events))) {
    attribute(own)
      .flatMap(({ contributions }) => contributions)
      .forEach((contribution) => sums.add(contribution));
  }
  return sums.list();
}

const day = fc.integer({ min: FIRST_DAY - 1, max: FIRST_DAY + DAYS });
const devices = fc.subarray([0, 1, 2, 3], { minLength: 1 });

describe('attribute', () => {
  it('counts what counting by hand counts, under every filter', () => {
    fc.assert(
      fc.property(eventSets, day, day, devices, (events, start, end, chosen) => {
        const cells = cellsOf(events).filter(
          (cell) =>
            cell.entry_day >= start &&
            cell.entry_day <= end &&
            cell.event_day <= end &&
            chosen.includes(cell.device),
        );
        for (const experimentId of EXPERIMENTS) {
          for (const variationId of [0, 1, 2].map((index) => experimentId * 100 + index)) {
            for (const goalId of GOALS) {
              const own = cells.filter((cell) => cell.variation_id === variationId);
              const ofGoal = own.filter((cell) => cell.goal_id === goalId);
              const entered = own.filter((cell) => cell.goal_id === ENTERED);
              const question = { experimentId, goalId, variationId, start, end, devices: chosen };
              expect({
                participants: entered.reduce((sum, cell) => sum + cell.participants, 0),
                converters: ofGoal.reduce((sum, cell) => sum + cell.converters, 0),
                conversions: ofGoal.reduce((sum, cell) => sum + cell.conversions, 0),
                value: ofGoal.reduce((sum, cell) => sum + cell.value, 0n),
                valueSquared: ofGoal.reduce((sum, cell) => sum + cell.value_squared, 0n),
              }).toEqual(countByHand(withoutRepeats(events), question));
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('counts crossovers as by hand', () => {
    fc.assert(
      fc.property(eventSets, (events) => {
        for (const experimentId of EXPERIMENTS) {
          const crossed = cellsOf(events).filter(
            (cell) => cell.goal_id === CROSSED && cell.experiment_id === experimentId,
          );
          const count = crossed.reduce((sum, cell) => sum + cell.participants, 0);
          expect(count).toBe(crossoversByHand(withoutRepeats(events), experimentId));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order of events', () => {
    const shuffled = eventSets.chain((events) =>
      fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
    );
    fc.assert(
      fc.property(shuffled, ([events, others]) => expect(cellsOf(others)).toEqual(cellsOf(events))),
      { numRuns: 300 },
    );
  });

  it('adds up: what is attributed first, plus the difference to everything, is everything', () => {
    fc.assert(
      fc.property(eventSets, fc.nat(40), (all, count) => {
        const events = withoutRepeats(all);
        const sums = new CellChanges();
        for (const visitor of visitorsOf(events)) {
          const early = visitor.filter((event) => events.indexOf(event) < count);
          attribute(early).forEach(({ contributions }) => contributions.forEach((each) => sums.add(each)));
          attribute(visitor).forEach(({ contributions }) => contributions.forEach((each) => sums.add(each)));
          attribute(early).forEach(({ contributions }) =>
            contributions.forEach((each) => sums.subtract(each)),
          );
        }
        expect(sums.list()).toEqual(cellsOf(events));
      }),
      { numRuns: 300 },
    );
  });
});

describe('one visitor', () => {
  const at = (days: number, event: Partial<VisitorEvent>): VisitorEvent => ({
    event_id: `id-${days}`,
    occurred_at: days * DAY,
    experiment_id: null,
    variation_id: null,
    goal_id: null,
    value: null,
    device: 0,
    ...event,
  });
  const seen = (days: number, variation_id: number, device = 0): VisitorEvent =>
    at(days, { experiment_id: 1, variation_id, device });
  const bought = (days: number, value: number | null): VisitorEvent => at(days, { goal_id: 7, value });

  it('is counted where and when it was first exposed', () => {
    const [participation] = attribute([seen(3.5, 12, 1), seen(2.5, 11, 2), bought(3.7, 50_000)]);
    const entry = { experiment_id: 1, variation_id: 11, device: 2, entry_day: 2 };
    const one = { participants: 1, converters: 0, conversions: 0, value: 0n, value_squared: 0n };
    expect(participation).toEqual({
      experimentId: 1,
      firstEventAt: 2.5 * DAY,
      lastEventAt: 3.7 * DAY,
      contributions: [
        { ...entry, goal_id: ENTERED, event_day: 2, ...one },
        { ...entry, goal_id: CROSSED, event_day: 3, ...one },
        {
          ...entry,
          goal_id: 7,
          event_day: 3,
          participants: 0,
          converters: 1,
          conversions: 1,
          value: 50_000n,
          value_squared: 2_500_000_000n,
        },
      ],
    });
  });

  it('adds to the squares what its total grows by', () => {
    const [{ contributions }] = attribute([
      seen(1, 11),
      bought(1.2, 30_000),
      bought(2, 40_000),
      bought(2.1, -10_000),
    ]);
    const days = contributions.filter(({ goal_id }) => goal_id === 7);
    // Totals: 3 on the first day, 6 on the second: 9, then 36 - 9.
    expect(days.map(({ value_squared }) => value_squared)).toEqual([900_000_000n, 2_700_000_000n]);
    expect(days.map(({ converters }) => converters)).toEqual([1, 0]);
    expect(days.map(({ conversions }) => conversions)).toEqual([1, 2]);
  });

  it('may convert at the moment of its exposure, but not before', () => {
    const exposure = at(1, { event_id: 'b', experiment_id: 1, variation_id: 11 });
    const same = at(1, { event_id: 'a', goal_id: 7 });
    const earlier = { ...same, event_id: 'c', occurred_at: DAY - 1 };
    const [{ contributions }] = attribute([exposure, same, earlier]);
    expect(
      contributions.filter(({ goal_id }) => goal_id === 7).map(({ conversions }) => conversions),
    ).toEqual([1]);
  });

  it('that was never exposed adds nothing', () => expect(attribute([bought(1, 5)])).toEqual([]));

  it('keeps squares exact that no double can hold', () => {
    const [{ contributions }] = attribute([seen(1, 11), bought(1.1, 9_999_999_999_999)]);
    expect(contributions.at(-1)?.value_squared).toBe(9_999_999_999_999n ** 2n);
  });
});
