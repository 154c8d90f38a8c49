import { setImmediate as nextTurn } from 'node:timers/promises';
import { ENTERED } from '../events/cell.entities';
import { ageRows, weekRows } from './entry-series';
import { progressInTurns, progressOf } from './progress';
import type { EntryCellSum } from './result-cells.store';

const DAYS = Array.from({ length: 400 }, (_, day) => day);
const VARIATIONS = Array.from({ length: 40 }, (_, id) => ({
  id,
  name: `V${id}`,
  is_original: id === 0,
  traffic_allocation: null,
}));
const GOAL = {
  id: 5,
  type: 'custom',
  name: 'Order placed',
  api_name: 'order-placed',
  value_type: 'none',
  direction: 'increase',
  counting: 'unique',
  conversion_window_days: null,
  isGuardrail: false,
} as const;
const NOTHING = {
  phase: 1,
  participants: 0,
  converters: 0,
  conversions: 0,
  conversionsSquared: 0n,
  value: 0n,
  valueSquared: 0n,
  valueByConversions: 0n,
  uncappedValue: 0n,
};

/** Each variation has 100 new participants a day, 10 of whom convert immediately. */
const CELLS: EntryCellSum[] = DAYS.flatMap((day) =>
  VARIATIONS.flatMap(({ id: variationId }) => {
    const place = { ...NOTHING, variationId, day, entryDay: day };
    return [
      { ...place, goalId: ENTERED, participants: 100 },
      { ...place, goalId: GOAL.id, converters: 10, conversions: 10, conversionsSquared: 10n },
    ];
  }),
);
const FACTS = { goals: [GOAL], variations: VARIATIONS, phases: [], hasSquares: true };
const GIVEN = { facts: FACTS, goal: GOAL, cells: CELLS, alpha: 0.05 };
const SETTINGS = { alpha: 0.05, tuning: new Map<number, number>(), method: 'sequential' } as const;

/** The number of times that the work yields to other requests. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  const done = work().finally(() => (isDone = true));
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  await done;
  return turns;
}

it.each([
  ['by day since entry', () => ageRows(GIVEN, DAYS.length - 1)],
  ['by week of entry', () => weekRows(GIVEN, DAYS)],
  ['for plots', () => progressInTurns(FACTS, DAYS, CELLS, SETTINGS)],
])('long series %s do not block other requests', async (_what, work) => {
  expect(await turnsDuring(work)).toBeGreaterThan(2);
});

it('figures for plots are the same without turns', async () => {
  const days = DAYS.slice(0, 20);
  const expected = progressOf(FACTS, days, CELLS, SETTINGS);
  expect(await progressInTurns(FACTS, days, CELLS, SETTINGS)).toEqual(expected);
});
