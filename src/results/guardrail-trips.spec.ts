import { newTrips, notedTrips } from './guardrail-trips';

const trip = { goal_id: 1, variation_id: 2, direction: 'increase' as const };

it.each([
  ['the same direction', [trip], []],
  ['the other direction', [{ ...trip, direction: 'decrease' as const }], [trip]],
  ['no direction, from before it was recorded', [{ goal_id: 1, variation_id: 2 }], []],
  ['another variation', [{ ...trip, variation_id: 3 }], [trip]],
])('a trip is new or known if the recorded one has %s', (_case, known, added) => {
  expect(newTrips([trip], known)).toEqual(added);
});

it('trips are recorded without names and figures', () => {
  expect(notedTrips(null, [{ ...trip, difference: 0.1 } as typeof trip])).toEqual([trip]);
});
