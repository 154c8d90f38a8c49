import type { DecidableExperiment } from '../published';
import { ExperimentNames } from '../published-names.store';
import { bucketingAfter } from './decide';

const MAX = 1_000;
const VARIATION = 7;

/** The ids of 500 experiments, beginning with this one. */
const idsFrom = (first: number): number[] => Array.from({ length: 500 }, (_, index) => first + index);

const [unknown, archived, paused, live] = [1, 1_001, 2_001, 3_001].map(idsFrom);

const experiments = live.map(
  (id) => ({ id, variations: [{ id: VARIATION, api_name: 'original' }] }) as DecidableExperiment,
);
const known = (ids: number[], isArchived: boolean) =>
  ids.map((id) => ({ id, api_name: `experiment-${id}`, isArchived }));
const names = new ExperimentNames([...known(archived, true), ...known(paused, false), ...known(live, false)]);

/** The experiments whose assignments are left, in id order. */
function left(given: readonly number[], published = { experiments, names }): number[] {
  const bucketing = new Map(given.map((id) => [id, VARIATION]));
  return [...bucketingAfter(bucketing, published, experiments, []).keys()].sort((a, b) => a - b);
}

it('keeps all assignments up to the limit', () => {
  expect(left([...unknown, ...archived])).toEqual([...unknown, ...archived]);
});

it.each([
  ['unknown', [...unknown, ...archived, ...live], [...archived, ...live]],
  ['archived', [...archived, ...paused, ...live], [...paused, ...live]],
  ['unknown and archived', [...unknown, ...archived, ...paused, ...live], [...paused, ...live]],
  ['the oldest', [0, ...unknown, ...live], [...unknown, ...live]],
])('drops assignments to %s experiments above the limit', (_, given, expected) => {
  expect(left(given)).toEqual(expected);
});

it('keeps the newest assignments if there are too many live experiments', () => {
  const all = [...unknown, ...paused, ...live].map((id) => ({ ...experiments[0], id }));
  const ids = all.map(({ id }) => id);
  expect(left(ids, { experiments: all, names })).toEqual(ids.slice(-MAX));
});
