import { setTimeout as sleep } from 'node:timers/promises';
import { Attribution, RebuildCounts } from '../../src/events/attribution-steps';
import { attributeAll } from '../support/events';
import { useExclusions } from '../support/exclusions';
import type { Made } from '../support/scene';

/* Two rebuilds of results at the same time, and rebuilds whose reason is taken back before they end. */

const { scene, experiments, rebuilds, sendFor, shown } = useExclusions();

interface Generation {
  experiment_id: number;
  generation: number;
  rebuild_generation: number | null;
}

const generations = (): Promise<Generation[]> =>
  scene.api.database.read.query(
    'SELECT experiment_id, generation, rebuild_generation FROM experiment_results ORDER BY experiment_id',
  );

/**
 * Runs something before a step of the next rebuild. The first step counts all visitors, and the second shows the cells.
 */
function beforeStep(number: 1 | 2, run: () => Promise<unknown>): jest.SpyInstance {
  const counts = scene.api.app.get(RebuildCounts, { strict: false });
  const transaction = counts.transaction.bind(counts);
  const spy = jest.spyOn(counts, 'transaction');
  if (number === 2) {
    spy.mockImplementationOnce(transaction);
  }
  return spy.mockImplementationOnce(async (work) => {
    await run();
    return transaction(work);
  });
}

/** Makes another rebuild take over the results of an experiment before the first step of the next rebuild. */
const takeOver = ({ experiment_id: experimentId }: Generation): jest.SpyInstance =>
  beforeStep(1, () => rebuilds().rebuild({ experimentId }));

async function setCap(value_cap: number | null): Promise<void> {
  const { body } = await scene.client.get(`${scene.project}/goals`);
  const { id } = (body as Made[]).find(({ name }) => name === 'Sale')!;
  expect((await scene.client.patch(`${scene.project}/goals/${id}`, { value_cap })).status).toBe(200);
}

/** Generations with cells, by experiment. */
const filled = (): Promise<{ experiment_id: number; generation: number }[]> =>
  scene.api.database.read.query(
    `SELECT experiment_id, generation FROM result_cells UNION SELECT experiment_id, generation FROM entry_cells
      ORDER BY experiment_id, generation`,
  );

/** Asserts that only the shown cells exist, that the results are current, and that no rebuild is running. */
async function expectSettled(): Promise<void> {
  const rows = await generations();
  expect(await filled()).toEqual(
    rows.map(({ experiment_id, generation }) => ({ experiment_id, generation })),
  );
  for (const { path } of experiments) {
    expect((await scene.client.get(`${path}/results/info`)).body).toMatchObject({ recomputing: false });
  }
  expect(await rebuilds().follow()).toBe(false);
}

afterEach(() => jest.restoreAllMocks());

describe('a rebuild', () => {
  it('finishes all results except those that another rebuild has taken over', async () => {
    const before = await shown();
    const [first, second] = await generations();
    const taken = takeOver(first);
    await expect(rebuilds().rebuild({})).rejects.toThrow(
      `taken over or cancelled for these experiments: ${first.experiment_id}. All other results have been rebuilt.`,
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

describe('a rebuild for a value cap that is removed before the rebuild ends', () => {
  it('is cancelled, and its cells are deleted', async () => {
    const before = [await generations(), await shown()] as const;
    await setCap(5);
    expect(await rebuilds().follow()).toBe(true);
    expect(await filled()).toHaveLength(4);
    await setCap(null);
    await attributeAll(scene.api);
    await expectSettled();
    expect((await generations()).map(({ generation }) => generation)).toEqual(
      before[0].map(({ generation }) => generation),
    );
    expect(await shown()).toEqual(before[1]);
  });

  it('is cancelled even after new events have made the results current again', async () => {
    await setCap(5);
    await rebuilds().follow();
    await setCap(null);
    await sendFor(0);
    await scene.api.app.get(Attribution, { strict: false }).drain();
    const current = await shown();
    expect(await filled()).toHaveLength(4);
    await attributeAll(scene.api);
    await expectSettled();
    expect(await shown()).toEqual(current);
  });

  it('does not prevent later rebuilds', async () => {
    const before = await shown();
    await setCap(5);
    await attributeAll(scene.api);
    await expectSettled();
    expect((await shown()).cells).not.toEqual(before.cells);
    await setCap(null);
    await attributeAll(scene.api);
    await expectSettled();
    expect(await shown()).toEqual(before);
  });

  it('starts again if it was started by the admin command', async () => {
    const before = await shown();
    await setCap(5);
    const [{ generation }] = await generations();
    const removed = beforeStep(2, async () => {
      await setCap(null);
      await attributeAll(scene.api);
    });
    expect(await rebuilds().rebuildOrWait({})).toHaveLength(2);
    removed.mockRestore();
    await expectSettled();
    expect((await generations())[0].generation).toBeGreaterThan(generation + 1);
    expect(await shown()).toEqual(before);
  });

  it('is never shown, even if no worker cancels it', async () => {
    const before = await shown();
    await setCap(5);
    const removed = beforeStep(2, () => setCap(null));
    await expect(rebuilds().rebuild({})).rejects.toThrow('taken over or cancelled');
    removed.mockRestore();
    expect(await shown()).toEqual(before);
    await expectSettled();
  });

  it('is cancelled if the transaction that cancels it is rolled back and repeated', async () => {
    await setCap(5);
    const counts = scene.api.app.get(RebuildCounts, { strict: false });
    const transaction = counts.transaction.bind(counts);
    const repeated = jest.spyOn(counts, 'transaction').mockImplementationOnce(transaction);
    repeated.mockImplementationOnce(async (work) => {
      await setCap(null);
      const rolledBack = transaction(async (tx) => {
        await work(tx);
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      return transaction(work);
    });
    await expect(rebuilds().rebuild({})).rejects.toThrow('taken over or cancelled');
    repeated.mockRestore();
    const rows: { rebuilt_to: string | null }[] = await scene.api.database.read.query(
      'SELECT rebuilt_to FROM experiment_results',
    );
    expect(rows).toEqual([{ rebuilt_to: null }, { rebuilt_to: null }]);
  });

  it('is not what the admin command waits for', async () => {
    const before = await shown();
    const [{ generation }] = await generations();
    const taken = beforeStep(2, async () => {
      await setCap(5);
      await rebuilds().follow();
    });
    const waiting = rebuilds().rebuildOrWait({});
    await sleep(1_000);
    taken.mockRestore();
    await setCap(null);
    await attributeAll(scene.api);
    expect(await waiting).toHaveLength(2);
    await expectSettled();
    expect((await generations())[0].generation).toBeGreaterThan(generation + 2);
    expect(await shown()).toEqual(before);
  });
});

describe('a rebuild of current results', () => {
  it('is left to its own process while it makes progress', async () => {
    const old = await generations();
    const watched = beforeStep(1, async () => {
      expect(await rebuilds().follow()).toBe(false);
      expect(await rebuilds().follow()).toBe(false);
    });
    expect(await rebuilds().rebuild({})).toHaveLength(2);
    watched.mockRestore();
    expect((await generations())[0].generation).toBe(old[0].generation + 1);
    await expectSettled();
  });
  it('is continued by the worker instead of cancelled', async () => {
    jest.replaceProperty(rebuilds(), 'helpAfterMs', 0);
    const before = await shown();
    const old = await generations();
    const helped = beforeStep(1, () => rebuilds().follow());
    expect(await rebuilds().rebuildOrWait({})).toHaveLength(2);
    helped.mockRestore();
    await expectSettled();
    const [first, second] = old.map((row) => ({
      ...row,
      generation: row.generation + 1,
      rebuild_generation: null,
    }));
    expect(await generations()).toEqual([first, second]);
    expect(await shown()).toEqual(before);
  });

  it('is finished by the worker if its process ends', async () => {
    const patience = jest.replaceProperty(rebuilds(), 'helpAfterMs', 0);
    const before = await shown();
    const [{ generation }] = await generations();
    const killed = beforeStep(1, () => Promise.reject(new Error('killed')));
    await expect(rebuilds().rebuild({})).rejects.toThrow('killed');
    killed.mockRestore();
    expect(await rebuilds().follow()).toBe(true);
    patience.restore();
    await attributeAll(scene.api);
    await expectSettled();
    const [now] = await generations();
    expect(now).toMatchObject({ rebuild_generation: null });
    expect(now.generation).toBeGreaterThan(generation);
    expect(await shown()).toEqual(before);
  });
});
