import type { Json } from '../export-values';
import { readGrowthBook } from './growthbook';

const page = (field: string, count: number, from: number, more: Json): Json => ({
  [field]: Array.from({ length: count }, (_, index) => ({ id: `id_${from + index}` })),
  ...more,
});

const reportOf = (...documents: Json[]): string[] =>
  readGrowthBook(documents)
    .notTaken.filter(({ name }) => name === '(further pages)')
    .map(({ kind, reason }) => `${kind}: ${reason}`);

const SAVE = 'are not in the files. Save each page of the list in a separate file.';

describe('lists with several pages', () => {
  const first = page('metrics', 10, 0, { total: 23, hasMore: true, nextOffset: 10 });
  const second = page('metrics', 10, 10, { total: 23, hasMore: true, nextOffset: 20 });
  const third = page('metrics', 3, 20, { total: 23, hasMore: false });

  it('are reported if pages are missing', () => {
    expect(reportOf(first)).toEqual([`goal: 13 of 23 metrics ${SAVE}`]);
    expect(reportOf(first, third)).toEqual([`goal: 10 of 23 metrics ${SAVE}`]);
    expect(reportOf(first, first, second)).toEqual([`goal: 3 of 23 metrics ${SAVE}`]);
    expect(reportOf(page('savedGroups', 1, 0, { hasMore: true }))).toEqual([
      `audience: Further savedGroups ${SAVE}`,
    ]);
  });

  it('do not contain the experiments of SDK payloads, which have no id', () => {
    const list = page('experiments', 3, 0, { total: 4 });
    const payload = { features: {}, experiments: [{ key: 'headline', variations: [] }] };
    expect(reportOf(list, payload)).toEqual([`experiment: 1 of 4 experiments ${SAVE}`]);
  });

  it('are not reported if all pages are in the files', () => {
    expect(reportOf(third, first, second)).toEqual([]);
    expect(reportOf(page('features', 3, 0, { total: 3, hasMore: false }))).toEqual([]);
    expect(reportOf({ features: [], metrics: [], total: 5 })).toEqual([]);
  });
});
