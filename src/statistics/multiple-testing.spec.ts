import * as fc from 'fast-check';
import r from './fixtures/r.json';
import { adjustPValues } from './multiple-testing';

const family = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 4 }));

describe('adjustPValues', () => {
  it.each(r.adjusted.cases)('agrees with p.adjust on $pValues', ({ pValues, holm, benjaminiHochberg }) => {
    adjustPValues(pValues, 'holm').forEach((adjusted, i) => expect(adjusted).toBeCloseTo(holm[i], 14));
    adjustPValues(pValues, 'benjamini-hochberg').forEach((adjusted, i) =>
      expect(adjusted).toBeCloseTo(benjaminiHochberg[i], 14),
    );
    expect(adjustPValues(pValues, 'none')).toEqual(pValues);
  });

  it('keeps null values out of the family', () => {
    expect(adjustPValues([null, 0.01, null, 0.03], 'holm')).toEqual([null, 0.02, null, 0.03]);
    expect(adjustPValues([], 'holm')).toEqual([]);
  });

  it('never decreases a p-value, never exceeds 1, and keeps the order', () => {
    fc.assert(
      fc.property(family, fc.constantFrom('holm' as const, 'benjamini-hochberg' as const), (pValues, how) => {
        const adjusted = adjustPValues(pValues, how);
        const pairs = pValues.flatMap((p, i) => (p === null ? [] : [[p, adjusted[i] ?? NaN]]));
        expect(pairs.every(([p, raised]) => p <= raised && raised <= 1)).toBe(true);
        const inOrder = pairs.sort(([p], [q]) => p - q).map(([, raised]) => raised);
        expect(inOrder).toEqual([...inOrder].sort((p, q) => p - q));
      }),
    );
  });
});
