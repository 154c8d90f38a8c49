import { GREEN_BUTTON, shareModel } from '../../test/support/share-models';
import type { ResultFilter } from '../results/experiment-results';
import { shareMismatches } from './share-mismatch';

const TABLETS: ResultFilter = { start: null, end: null, devices: ['tablet'], cohorts: null };
const [original, green] = GREEN_BUTTON;

const right = shareModel({ days: 2 });
const wrong = shareModel({ days: 2, variations: [original, { ...green, perDay: 600 }] });

const found = (selected: typeof right, everybody: typeof right, filter = TABLETS) =>
  shareMismatches({ ...selected, everybody: everybody.results, filter });
const whom = (...parameters: Parameters<typeof found>) => found(...parameters).map((each) => each.whom);

it('checks all participants and the selected ones', () => {
  expect(whom(right, right)).toEqual([]);
  expect(whom(right, wrong)).toEqual(['all']);
  expect(whom(wrong, right)).toEqual(['selected']);
  expect(whom(wrong, wrong)).toEqual(['all', 'selected']);
  expect(whom(wrong, wrong, wrong.filter)).toEqual(['all']);
});

/** The same participants, with other expected shares. */
function expecting(model: typeof wrong, shares: Record<number, number>): typeof wrong {
  const expectedShares = new Map(Object.entries(shares).map(([id, share]) => [Number(id), share]));
  const results = { ...model.results, expectedShares };
  return { ...model, results, everybody: results };
}

it('shows the expectation for the selected participants, not for all', () => {
  const [{ variations }] = found(expecting(wrong, { 1: 0.9, 2: 0.1 }), right);
  expect(variations.map(({ expectedShare }) => expectedShare)).toEqual([0.9, 0.1]);
});

it('shows the shares next to the expected ones, without variations with a share of 0', () => {
  const [{ variations }] = shareMismatches(expecting(wrong, { 1: 0.4, 2: 0.4, 3: 0 }));
  expect(variations.map(({ name, expectedShare }) => [name, expectedShare])).toEqual([
    ['Original', 0.5],
    ['Green button', 0.5],
  ]);
  expect(variations.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
  expect(variations[1].share).toBeGreaterThan(0.55);
});
