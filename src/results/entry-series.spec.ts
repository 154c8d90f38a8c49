import fc from 'fast-check';
import { ENTERED } from '../events/cell.entities';
import { ageRows, type EntryCells } from './entry-series';
import type { EntryCellSum } from './result-cells.store';

const GOAL = 7;
const VARIATIONS = [1, 2];
const LAST = 12;
const NOTHING = {
  participants: 0,
  converters: 0,
  conversions: 0,
  value: 0n,
  valueSquared: 0n,
  uncappedValue: 0n,
  conversionsSquared: 0n,
  valueByConversions: 0n,
};

/** Cells of visitors who entered on a day of the series and converted up to its last day. */
const cells = fc.array(
  fc
    .record({
      variationId: fc.constantFrom(...VARIATIONS),
      phase: fc.constantFrom(1, 2),
      entryDay: fc.nat(LAST),
      wait: fc.nat(LAST),
      participants: fc.nat(9),
      converters: fc.nat(5),
      cents: fc.nat(999),
    })
    .map(({ variationId, phase, entryDay, wait, participants, converters, cents }): EntryCellSum[] => {
      const value = BigInt(cents) * 100n;
      const sums = { converters, conversions: converters * 2, value, uncappedValue: value };
      const day = Math.min(LAST, entryDay + wait);
      return [
        { ...NOTHING, goalId: ENTERED, variationId, phase, entryDay, day: entryDay, participants },
        { ...NOTHING, goalId: GOAL, variationId, phase, entryDay, day, ...sums },
      ];
    }),
  { maxLength: 30 },
);

const givenWith = (sums: readonly EntryCellSum[]): EntryCells =>
  ({
    facts: {
      variations: VARIATIONS.map((id) => ({ id, name: `V${id}`, is_original: id === 1 })),
      phases: [1, 2].map((number) => ({ number, shares: { 1: 50, 2: 50 } })),
      hasSquares: true,
    },
    goal: { id: GOAL, value_type: 'revenue', counting: 'unique', conversion_window_days: null },
    cells: sums,
    alpha: 0.05,
  }) as unknown as EntryCells;

const total = (
  sums: readonly EntryCellSum[],
  field: 'participants' | 'converters' | 'uncappedValue',
): number => sums.reduce((sum, cell) => sum + Number(cell[field]), 0);

it('each row counts the participants for whom its day has begun, and their conversions up to that day', async () => {
  await fc.assert(
    fc.asyncProperty(cells, async (groups) => {
      const sums = groups.flat();
      for (const row of await ageRows(givenWith(sums), LAST)) {
        const begun = sums.filter(
          ({ variationId, entryDay, day }) =>
            variationId === row.variation_id && entryDay + row.age <= LAST && day - entryDay <= row.age,
        );
        const onDay = begun.filter(
          ({ goalId, entryDay, day }) => goalId === GOAL && day - entryDay === row.age,
        );
        expect(row).toMatchObject({
          participants: total(begun, 'participants'),
          conversions: total(onDay, 'converters'),
          value: total(onDay, 'uncappedValue') / 10_000,
          cumulative_conversions: total(begun, 'converters'),
          cumulative_value: total(begun, 'uncappedValue') / 10_000,
        });
      }
    }),
    { numRuns: 300 },
  );
});

// Here 5 of the original's 10 participants convert and none of the variation's 10. The upper end is computed in R
// (see `newcombeUpliftInterval`).
it('has an uplift interval for a variation without conversions', async () => {
  const entered = (variationId: number): EntryCellSum => ({
    ...NOTHING,
    goalId: ENTERED,
    variationId,
    phase: 1,
    entryDay: 0,
    day: 0,
    participants: 10,
  });
  const converted = { ...entered(1), goalId: GOAL, participants: 0, converters: 5, conversions: 5 };
  const given = givenWith([entered(1), entered(2), converted]);
  const [, row] = await ageRows({ ...given, goal: { ...given.goal, value_type: 'none' } }, 0);
  expect(row).toMatchObject({ uplift: -1, cumulative_uplift: -1 });
  const ends = [-1, expect.closeTo(-0.3469668241, 9)];
  expect([row.uplift_lower, row.uplift_upper]).toEqual(ends);
  expect([row.cumulative_uplift_lower, row.cumulative_uplift_upper]).toEqual(ends);
});
