import { RebuildCounts } from '../../src/events/attribution-steps';
import { useExclusions } from '../support/exclusions';

/* Two rebuilds of results at the same time. */

const { scene, rebuilds, shown } = useExclusions();

interface Generation {
  experiment_id: number;
  generation: number;
  rebuild_generation: number | null;
}

const generations = (): Promise<Generation[]> =>
  scene.api.database.read.query(
    'SELECT experiment_id, generation, rebuild_generation FROM experiment_results ORDER BY experiment_id',
  );

/** Makes another rebuild take over the results of an experiment before the first step of the next rebuild. */
function takeOver({ experiment_id: experimentId }: Generation): jest.SpyInstance {
  const counts = scene.api.app.get(RebuildCounts, { strict: false });
  const transaction = counts.transaction.bind(counts);
  return jest.spyOn(counts, 'transaction').mockImplementationOnce(async (work) => {
    await rebuilds().rebuild({ experimentId });
    return transaction(work);
  });
}

describe('a rebuild', () => {
  it('finishes all results except those that another rebuild has taken over', async () => {
    const before = await shown();
    const [first, second] = await generations();
    const taken = takeOver(first);
    await expect(rebuilds().rebuild({})).rejects.toThrow(
      `has taken over the results of these experiments: ${first.experiment_id}. All other results have been rebuilt.`,
    );
    taken.mockRestore();
    expect(await generations()).toEqual([
      { ...first, generation: first.generation + 2 },
      { ...second, generation: second.generation + 1 },
    ]);
    expect(await shown()).toEqual(before);
  });

  it('of the admin command waits for the rebuild that has taken over', async () => {
    const before = await shown();
    const [first, second] = await generations();
    const taken = takeOver(first);
    const rebuilt = await rebuilds().rebuildOrWait({});
    taken.mockRestore();
    expect(rebuilt.sort()).toEqual([first.experiment_id, second.experiment_id].sort());
    expect(await shown()).toEqual(before);
  });
});
