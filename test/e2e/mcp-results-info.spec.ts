import { useAssistants } from '../support/assistant';
import { Cells } from '../support/cells';
import type { Made } from '../support/scene';

/* Explanations of the sample ratio in get_results_info. */

const DAY = '2026-05-01';

const scene = useAssistants();

describe('the traffic split', () => {
  const infoOf = async (shares: (number | null)[], counts: number[]) => {
    const variations = shares.map((traffic_allocation, index) => ({ name: `V${index}`, traffic_allocation }));
    const experiment = await scene.make.ready({ variations });
    const cells = new Cells(scene.api, experiment.id);
    counts.forEach((count, index) =>
      cells.entered({ variation: experiment.variations[index].id, day: DAY }, count),
    );
    await (counts.length > 0 ? cells.store() : undefined);
    const viewer = await scene.of(scene.world.people.viewer);
    return viewer.use('get_results_info', scene.at(experiment));
  };
  const FEW = 'They are too few to tell whether the split matches the shares.';
  const AS_SHARED = 'The split matches the shares.';

  // Fewer than 5 expected participants in a variation are too few. So are 10 participants in one of two variations, for
  // which chi-square is 10 and p is 0.0016.
  it.each<[string, (number | null)[], number[], string]>([
    ['no participants', [null, null], [], 'No participants yet.'],
    ['nine in one of two', [null, null], [9, 0], `9 participants. ${FEW}`],
    ['ten in one of two', [null, null], [10, 0], `10 participants. ${FEW}`],
    ['eleven in two', [null, null], [6, 5], `11 participants. ${AS_SHARED}`],
    ['eleven in one of two', [null, null], [11, 0], '11 participants. The split does NOT match'],
    ['four expected in the smallest', [90, 10], [36, 4], `40 participants. ${FEW}`],
    ['five expected in the smallest', [90, 10], [45, 5], `50 participants. ${AS_SHARED}`],
    ['one with a share of zero', [50, 50, 0], [30, 30, 0], `60 participants. ${AS_SHARED}`],
    ['only one variation', [null], [50], '50 participants. Fewer than two variations have a share'],
  ])('is tested if possible: %s', async (_, shares, counts, expected) => {
    const { text, isError } = await infoOf(shares, counts);
    expect([isError, text.slice(0, expected.length)]).toEqual([false, expected]);
  });
});

it.each<[string, number[][], number[][], string]>([
  [
    'after a variation was stopped',
    [[100, 0]],
    [[300, 310], [200]],
    '810 participants. The split matches the shares',
  ],
  [
    'with few participants in each phase',
    [[90, 10]],
    [
      [4, 3],
      [5, 1],
    ],
    '13 participants. They are too few to tell',
  ],
  [
    // 10 participants in one phase are too few. Over all phases, chi-square could be 20 with 2 degrees of freedom, so p
    // could be exp(-20/2), and a mismatch could be detected.
    'together with phases that are too small on their own',
    [
      [90, 10],
      [50, 50],
    ],
    [[5, 5], [1], [5, 5]],
    '21 participants. The split matches the shares',
  ],
])('the sample ratio is tested by phase: %s', async (_, changes, counts, expected) => {
  const experiment = await scene.make.withStatus('running');
  const ids = experiment.variations.map(({ id }: { id: number }) => id) as number[];
  for (const shares of changes) {
    await publishShares(experiment, shares);
  }
  const cells = new Cells(scene.api, experiment.id);
  counts.forEach((entered, index) =>
    entered.forEach((count, k) => cells.entered({ variation: ids[k], day: DAY, phase: index + 1 }, count)),
  );
  await cells.store();
  const viewer = await scene.of(scene.world.people.viewer);
  const { text, data } = await viewer.use('get_results_info', scene.at(experiment));
  expect(data.phases).toHaveLength(counts.length);
  expect(text.slice(0, expected.length)).toBe(expected);
});

it('the sample ratio of depleted phases is reported as untested, not as correct', async () => {
  const variations = [90, 10].map((traffic_allocation, index) => ({ name: `V${index}`, traffic_allocation }));
  const experiment = await scene.make.ready({ traffic_allocation: 10, variations });
  // The variation ranges cover only the allocated traffic, as in experiments from the first release.
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE experiments SET traffic_in_ranges = 1 WHERE id = ?', [experiment.id]),
  );
  await scene.make.move(experiment, 'running');
  await scene.client.patch(experiment.path, { traffic_allocation: 100 });
  await publishShares(experiment, [50, 50]);
  const [a, b] = experiment.variations.map(({ id }: { id: number }) => ({ variation: id, day: DAY }));
  await new Cells(scene.api, experiment.id)
    .entered(a, 9)
    .entered({ ...a, phase: 2 }, 500)
    .entered({ ...b, phase: 2 }, 500)
    .store();
  const viewer = await scene.of(scene.world.people.viewer);
  const { text } = await viewer.use('get_results_info', scene.at(experiment));
  expect(text).toBe(
    '1009 participants. They are too few to tell whether the split matches the shares. Phases that cannot be tested are left out.',
  );
});

/** Publishes the shares. Sets them to 0 before the new values, because their sum can never exceed 100. */
async function publishShares({ path, variations }: Made, shares: readonly number[]): Promise<void> {
  for (const change of [shares.map(() => 0), shares]) {
    for (const [index, traffic_allocation] of change.entries()) {
      await scene.client.patch(`${path}/variations/${variations[index].id}`, { traffic_allocation });
    }
  }
  expect((await scene.client.patch(`${path}/publish`)).status).toBe(200);
}
