import fc from 'fast-check';
import { countByHand, crossoversByHand, withinRuns, withoutRepeats } from '../../test/support/brute-force';
import { cellsOf, visitorsOf } from '../../test/support/attributed';
import { courseMaps, DAYS, eventSets, FIRST_DAY, GOALS } from '../../test/support/event-sets';
import { attribute, Contribution, VisitorEvent } from './attribution';
import { CellChanges } from './cell-changes';
import { CROSSED, ENTERED } from './cell.entities';
import { CountingRules, WITHOUT_END } from './counting-rules';

const DAY = 86_400_000_000;

const day = fc.integer({ min: FIRST_DAY - 1, max: FIRST_DAY + DAYS });
const filters = fc.record({
  start: day,
  end: day,
  chosen: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
  window: fc.option(fc.integer({ min: 1, max: DAYS }), { nil: null }),
});

describe('attribute', () => {
  it('agrees with a simple count under every filter', () => {
    fc.assert(
      fc.property(eventSets, courseMaps, filters, (events, rules, { start, end, chosen, window }) => {
        const cells = cellsOf(events, rules).filter(
          (cell) =>
            cell.entry_day >= start &&
            cell.entry_day <= end &&
            cell.event_day <= end &&
            (window === null || cell.goal_id <= 0 || cell.event_day <= cell.entry_day + window) &&
            chosen.includes(cell.device),
        );
        for (const [experimentId, course] of rules) {
          const counting = withinRuns(withoutRepeats(events), course);
          for (const variationId of [0, 1, 2].map((index) => experimentId * 100 + index)) {
            for (const goalId of GOALS) {
              const own = cells.filter((cell) => cell.variation_id === variationId);
              const allOfGoal = own.filter((cell) => cell.goal_id === goalId);
              const allEntered = own.filter((cell) => cell.goal_id === ENTERED);
              const number = (start + goalId) % 4;
              const phase = number === 0 ? undefined : { number, course };
              const cap = course.caps.get(goalId) ?? null;
              const place = { experimentId, goalId, variationId };
              const question = { ...place, start, end, devices: chosen, phase, cap, window };
              const inPhase = ({ phase }: Contribution): boolean => number === 0 || phase === number;
              const [entered, ofGoal] = [allEntered.filter(inPhase), allOfGoal.filter(inPhase)];
              expect({
                participants: entered.reduce((sum, cell) => sum + cell.participants, 0),
                converters: ofGoal.reduce((sum, cell) => sum + cell.converters, 0),
                conversions: ofGoal.reduce((sum, cell) => sum + cell.conversions, 0),
                value: ofGoal.reduce((sum, cell) => sum + cell.value, 0n),
                valueExcess: ofGoal.reduce((sum, cell) => sum + cell.value_excess, 0n),
                valueSquared: ofGoal.reduce((sum, cell) => sum + cell.value_squared, 0n),
                conversionsSquared: ofGoal.reduce((sum, cell) => sum + cell.conversions_squared, 0n),
                valueByConversions: ofGoal.reduce((sum, cell) => sum + cell.value_by_conversions, 0n),
              }).toEqual(countByHand(counting, question));
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with a simple count of crossovers', () => {
    fc.assert(
      fc.property(eventSets, courseMaps, (events, rules) => {
        for (const [experimentId, course] of rules) {
          const crossed = cellsOf(events, rules).filter(
            (cell) => cell.goal_id === CROSSED && cell.experiment_id === experimentId,
          );
          const count = crossed.reduce((sum, cell) => sum + cell.participants, 0);
          expect(count).toBe(crossoversByHand(withinRuns(withoutRepeats(events), course), experimentId));
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
      fc.property(shuffled, courseMaps, ([events, others], rules) =>
        expect(cellsOf(others, rules)).toEqual(cellsOf(events, rules)),
      ),
      { numRuns: 300 },
    );
  });

  it('is additive: counting early events and then adding the difference equals counting all events', () => {
    fc.assert(
      fc.property(eventSets, courseMaps, fc.nat(40), (all, rules, count) => {
        const events = withoutRepeats(all);
        const sums = new CellChanges();
        for (const visitor of visitorsOf(events)) {
          const early = visitor.filter((event) => events.indexOf(event) < count);
          const [before, after] = [attribute(early, rules), attribute(visitor, rules)];
          before.forEach(({ contributions }) => contributions.forEach((each) => sums.add(each)));
          after.forEach(({ contributions }) => contributions.forEach((each) => sums.add(each)));
          before.forEach(({ contributions }) => contributions.forEach((each) => sums.subtract(each)));
        }
        expect(sums.list()).toEqual(cellsOf(events, rules));
      }),
      { numRuns: 300 },
    );
  });
});

describe('one visitor', () => {
  const everything = new Map([[1, WITHOUT_END]]);
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

  it('is counted in the variation and at the time of its first exposure', () => {
    const [participation] = attribute([seen(3.5, 12, 1), seen(2.5, 11, 2), bought(3.7, 50_000)], everything);
    const entry = { experiment_id: 1, variation_id: 11, phase: 1, device: 2, entry_day: 2 };
    const one = {
      participants: 1,
      converters: 0,
      conversions: 0,
      value: 0n,
      value_excess: 0n,
      value_squared: 0n,
      conversions_squared: 0n,
      value_by_conversions: 0n,
    };
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
          value_excess: 0n,
          value_squared: 2_500_000_000n,
          conversions_squared: 1n,
          value_by_conversions: 50_000n,
        },
      ],
    });
  });

  it('contributes the increase of its squared total on each day', () => {
    const [{ contributions }] = attribute(
      [seen(1, 11), bought(1.2, 30_000), bought(2, 40_000), bought(2.1, -10_000)],
      everything,
    );
    const days = contributions.filter(({ goal_id }) => goal_id === 7);
    // The total value is 3 after the first day and 6 after the second, so its square increases by 9 and then by 36 - 9.
    expect(days.map(({ value_squared }) => value_squared)).toEqual([900_000_000n, 2_700_000_000n]);
    expect(days.map(({ converters }) => converters)).toEqual([1, 0]);
    expect(days.map(({ conversions }) => conversions)).toEqual([1, 2]);
    // The squared number of conversions increases by 1 and then by 9 - 1, and value times conversions increases by 3
    // and then by 18 - 3.
    expect(days.map(({ conversions_squared }) => conversions_squared)).toEqual([1n, 8n]);
    expect(days.map(({ value_by_conversions }) => value_by_conversions)).toEqual([30_000n, 150_000n]);
  });

  it('contributes its total up to the cap, and the excess separately', () => {
    const rules = { ...WITHOUT_END, caps: new Map([[7, 50_000]]) };
    const [{ contributions }] = attribute(
      [seen(1, 11), bought(1.2, 30_000), bought(2, 40_000), bought(3, -25_000)],
      new Map([[1, rules]]),
    );
    const days = contributions.filter(({ goal_id }) => goal_id === 7);
    // The totals 3, 7 and 4.5 count as 3, 5 and 4.5, so their squares change by 9, 25 - 9 and 20.25 - 25.
    expect(days.map(({ value }) => value)).toEqual([30_000n, 40_000n, -25_000n]);
    expect(days.map(({ value_excess }) => value_excess)).toEqual([0n, 20_000n, -20_000n]);
    expect(days.map(({ value_squared }) => value_squared)).toEqual([
      900_000_000n,
      1_600_000_000n,
      -475_000_000n,
    ]);
    // Capped value times conversions is 3, then 10, then 13.5, so it increases by 3, by 7 and by 3.5.
    expect(days.map(({ value_by_conversions }) => value_by_conversions)).toEqual([30_000n, 70_000n, 35_000n]);
  });

  it('can convert at the time of its exposure, but not before', () => {
    const exposure = at(1, { event_id: 'b', experiment_id: 1, variation_id: 11 });
    const same = at(1, { event_id: 'a', goal_id: 7 });
    const earlier = { ...same, event_id: 'c', occurred_at: DAY - 1 };
    const [{ contributions }] = attribute([exposure, same, earlier], everything);
    expect(
      contributions.filter(({ goal_id }) => goal_id === 7).map(({ conversions }) => conversions),
    ).toEqual([1]);
  });

  it('converts only while the experiment runs, not during a pause and not at or after the end', () => {
    const rules: CountingRules = {
      runs: [
        { startedAt: 1 * DAY, endedAt: 2 * DAY },
        { startedAt: 3 * DAY, endedAt: 4 * DAY },
      ],
      finalAt: null,
      phases: [1 * DAY],
      caps: new Map(),
      hasSquares: true,
      recounts: 0,
    };
    const events = [
      seen(1, 11),
      bought(1.5, 1),
      bought(2, 10),
      bought(2.5, 100),
      bought(3, 1_000),
      bought(4, 10_000),
    ];
    const [{ contributions, lastEventAt }] = attribute(events, new Map([[1, rules]]));
    const values = contributions.filter(({ goal_id }) => goal_id === 7).map(({ value }) => value);
    expect(values).toEqual([1n, 1_000n]);
    expect(lastEventAt).toBe(3 * DAY);
  });

  it('belongs to the phase that its first exposure reports, otherwise to the phase at the time of that exposure', () => {
    const rules = new Map([[1, { ...WITHOUT_END, phases: [1 * DAY, 3 * DAY + 400] }]]);
    const phaseOf = (exposure: VisitorEvent): number =>
      attribute([exposure], rules)[0].contributions[0].phase;
    expect(phaseOf(seen(0.5, 11))).toBe(1);
    expect(phaseOf(seen(2.9, 11))).toBe(1);
    expect(phaseOf(seen(3, 11))).toBe(2);
    expect(phaseOf({ ...seen(4, 11), phase: 1 })).toBe(1);
    expect(phaseOf({ ...seen(4, 11), phase: 3 })).toBe(2);
  });

  it('adds nothing to a final result', () => {
    const rules = { ...WITHOUT_END, finalAt: 9 * DAY };
    const late = { ...bought(2, 10), arrived_at: 9 * DAY };
    const inTime = { ...bought(3, 1), arrived_at: 9 * DAY - 1 };
    const [{ contributions }] = attribute([seen(1, 11), late, inTime], new Map([[1, rules]]));
    expect(contributions.filter(({ goal_id }) => goal_id === 7).map(({ value }) => value)).toEqual([1n]);
    const exposedLate = { ...seen(1, 11), arrived_at: 9 * DAY };
    expect(attribute([exposedLate, inTime], new Map([[1, rules]]))).toEqual([]);
  });

  it('adds nothing if it was never exposed', () => expect(attribute([bought(1, 5)], everything)).toEqual([]));

  it('contributes exact squares, even above the largest safe integer', () => {
    const [{ contributions }] = attribute([seen(1, 11), bought(1.1, 9_999_999_999_999)], everything);
    expect(contributions.at(-1)?.value_squared).toBe(9_999_999_999_999n ** 2n);
  });
});
