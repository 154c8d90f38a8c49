import { CellStore } from '../../src/events/cells.store';
import { EventPurge } from '../../src/events/event-purge';
import { LeftoverCells } from '../../src/events/leftover-cells';
import { RebuildService } from '../../src/events/rebuild.service';
import { TrashService } from '../../src/projects/trash/trash.service';
import { attributeAll, conversion, exposure, send, shownCells, storedEvents } from '../support/events';
import { Cells } from '../support/cells';
import { Made, Maker, useScene } from '../support/scene';

const scene = useScene();
const trash = (): TrashService => scene.api.app.get(TrashService, { strict: false });

interface Collected {
  project: { id: number; path: string; key: string };
  experiments: Made[];
}

/** Creates a project with two experiments that share more visitors than one step removes. */
async function collected(name: string): Promise<Collected> {
  const id = await scene.api.project(scene.world.teamId, name);
  const path = `/projects/${id}`;
  const key = (await scene.client.get(path)).body.client_key as string;
  const make = new Maker(scene.client, path);
  await make.goal({ name: 'Sale', value_type: 'revenue' });
  const experiments = [await make.withStatus('running'), await make.withStatus('running')];
  const visitors = [...Array(600).keys()].map((number) => `visitor-${number}`);
  const messages = visitors.flatMap((visitor) => [
    ...experiments.map((experiment) => exposure(visitor, experiment.id, experiment.variations[0].id)),
    conversion(visitor, 'sale', 1),
  ]);
  expect((await send(scene.api, key, messages)).body.accepted).toBe(1_800);
  await attributeAll(scene.api);
  return { project: { id, path, key }, experiments };
}

const cellsOf = async ({ id }: Made): Promise<string[]> =>
  (await shownCells(scene.api)).filter((cell) => cell.startsWith(`experiment_id=${id} `));

describe('purging', () => {
  it('an experiment removes only its own exposures and results', async () => {
    const { experiments } = await collected('Experiments');
    const [gone, kept] = experiments;
    const before = await cellsOf(kept);
    await scene.client.delete(gone.path);
    expect(await cellsOf(gone)).not.toEqual([]);
    expect(await trash().purge({ type: 'experiment', id: gone.id }, 'admin')).toBeNull();
    const left = await storedEvents(scene.api);
    expect(left.filter(({ experiment_id }) => experiment_id === gone.id)).toEqual([]);
    expect(left).toHaveLength(1_200);
    expect([await cellsOf(gone), await cellsOf(kept)]).toEqual([[], before]);
  });

  it('allows other requests between its steps', async () => {
    const { experiments } = await collected('Turns');
    await scene.client.delete(experiments[0].path);
    const { database } = scene.api;
    const transaction = database.transaction.bind(database);
    let turn = 0;
    const turns = new Set<number>();
    const spy = jest.spyOn(database, 'transaction').mockImplementation((work) => {
      turns.add(turn);
      return transaction(work);
    });
    let isOver = false;
    const count = (): void => {
      turn += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    await trash().purge({ type: 'experiment', id: experiments[0].id }, 'admin');
    isOver = true;
    const steps = spy.mock.calls.length;
    spy.mockRestore();
    expect(steps).toBeGreaterThan(3);
    expect(turns.size).toBeGreaterThan(2);
  });

  it('a project removes all its events, including unattributed ones', async () => {
    const { project, experiments } = await collected('Projects');
    await send(scene.api, project.key, [conversion('late', 'sale', 1)]);
    for (const experiment of experiments) {
      await scene.make.move(experiment, 'pause');
    }
    await scene.client.delete(project.path);
    await trash().purge({ type: 'project', id: project.id }, 'admin');
    const left: unknown[] = await scene.api.database.read.query(
      `SELECT project_id FROM events WHERE project_id = ?
        UNION ALL SELECT project_id FROM dirty_visitors WHERE project_id = ?`,
      [project.id, project.id],
    );
    expect(left).toEqual([]);
    await attributeAll(scene.api);
  });

  it('resumes after an interruption', async () => {
    const { project, experiments } = await collected('Interrupted');
    const [gone] = experiments;
    await scene.client.delete(gone.path);
    const purge = scene.api.app.get(EventPurge, { strict: false });
    const run = jest.spyOn(purge, 'run').mockRejectedValueOnce(new Error('killed'));
    await expect(trash().purge({ type: 'experiment', id: gone.id }, 'admin')).rejects.toThrow('killed');
    run.mockRestore();
    const exposures = async (): Promise<number> =>
      (await storedEvents(scene.api)).filter(({ experiment_id }) => experiment_id === gone.id).length;
    expect(await exposures()).toBe(600);
    await attributeAll(scene.api);
    await trash().purgeExpired('server');
    expect(await exposures()).toBe(0);
    expect((await scene.client.get(project.path)).status).toBe(200);
  });
});

describe('results with many cells', () => {
  const CELLS = 2_500;
  const countCells = async (experimentId: number): Promise<number> => {
    const [{ count }]: { count: number | string }[] = await scene.api.database.read.query(
      'SELECT COUNT(*) AS count FROM result_cells WHERE experiment_id = ?',
      [experimentId],
    );
    return Number(count);
  };
  const dayAfter = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

  /** Stores cells with one participant on each of `CELLS` days. */
  async function fill({ id, variations: [{ id: variation }] }: Made, generation = 1): Promise<void> {
    const cells = new Cells(scene.api, id);
    for (let days = 0; days < CELLS; days += 1) {
      cells.entered({ variation, day: dayAfter(days) }, 1);
    }
    await cells.store({ generation, shown: generation === 1 });
  }

  /** Creates an experiment with cells in a separate project. */
  async function withCells(): Promise<{ experiment: Made; project: number }> {
    const project = await scene.api.project(scene.world.teamId, 'Many cells');
    const experiment = await new Maker(scene.client, `/projects/${project}`).ready();
    await fill(experiment);
    return { experiment, project };
  }

  async function deleted(): ReturnType<typeof withCells> {
    const made = await withCells();
    expect((await scene.client.delete(made.experiment.path)).status).toBe(204);
    return made;
  }

  /** Interrupts the work before the fourth transaction, as if the server were killed. */
  async function interrupted(work: () => Promise<unknown>): Promise<void> {
    const { database } = scene.api;
    const transaction = database.transaction.bind(database);
    let transactions = 0;
    const spy = jest.spyOn(database, 'transaction').mockImplementation((work) => {
      transactions += 1;
      return transactions > 3 ? Promise.reject(new Error('killed')) : transaction(work);
    });
    await expect(work()).rejects.toThrow('killed');
    spy.mockRestore();
  }

  const entered = async ({ path }: Made): Promise<unknown> =>
    ((await scene.client.get(`${path}/results/info`)).body as Made).participants;

  /** What the trash lists about a record: its name and when it is purged. */
  const listed = async (type: string, id: number): Promise<unknown> => {
    const found = (await trash().list()).filter((each) => each.type === type && each.id === id);
    return found.map(({ name, purge_at }) => [name, purge_at]);
  };

  it.each([
    ['experiment', 'again'],
    ['project', 'again'],
    ['experiment', 'without arguments'],
    ['project', 'without arguments'],
  ] as const)(
    'are purged in short transactions, and the purge of a partly purged %s is finished by a purge %s',
    async (type, how) => {
      const { experiment, project } = await deleted();
      const key = { type, id: type === 'project' ? project : experiment.id };
      if (type === 'project') {
        expect((await scene.client.delete(`/projects/${project}`)).status).toBe(204);
      }
      await interrupted(() => trash().purge(key, 'admin'));
      const left = await countCells(experiment.id);
      expect([left > 0, left < CELLS]).toEqual([true, true]);
      expect(await listed(type, key.id)).toEqual([[expect.any(String), null]]);
      expect(await listed('experiment', experiment.id)).toHaveLength(type === 'experiment' ? 1 : 0);
      expect(await trash().restore(key, 'admin')).toBe('being purged');
      expect(await trash().restore({ type: 'experiment', id: experiment.id }, 'admin')).not.toBeNull();
      const url = type === 'project' ? `/projects/${project}` : experiment.path;
      expect((await scene.client.get(url)).status).toBe(404);
      if (how === 'again') {
        expect(await trash().purge(key, 'admin')).toBeNull();
      } else {
        expect(await trash().purgeExpired('server')).toEqual([key]);
      }
      expect(await trash().purge(key, 'admin')).toBe('not in the trash');
      expect(await listed(type, key.id)).toEqual([]);
      expect(await countCells(experiment.id)).toBe(0);
      const rows: unknown[] = await scene.api.database.read.query(`SELECT id FROM ${type}s WHERE id = ?`, [
        key.id,
      ]);
      expect(rows).toEqual([]);
    },
  );

  it.each(['experiment', 'project'] as const)(
    'are either purged, or restored with the same %s, but never both',
    async (type) => {
      for (let time = 0; time < 4; time += 1) {
        const { experiment, project } = await deleted();
        const key = { type, id: type === 'project' ? project : experiment.id };
        if (type === 'project') {
          await scene.client.delete(`/projects/${project}`);
        }
        const [restored, purged] = await Promise.all([
          trash().restore(key, 'admin'),
          trash().purge(key, 'admin'),
        ]);
        expect([restored, purged].filter((refusal) => refusal === null)).toHaveLength(1);
        expect(await countCells(experiment.id)).toBe(restored === null ? CELLS : 0);
      }
    },
  );

  it('are replaced by a rebuild in short transactions, and not shown in the meantime', async () => {
    const { experiment } = await withCells();
    const { id: experimentId } = experiment;
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    expect(await entered(experiment)).toBe(CELLS);
    await interrupted(() => rebuilds.rebuild({ experimentId }));
    const left = await countCells(experimentId);
    expect([left > 0, left < CELLS]).toEqual([true, true]);
    // The cells were stored without events, so the rebuild finds no participants.
    expect(await entered(experiment)).toBe(0);
    await rebuilds.rebuild({ experimentId });
    expect(await countCells(experimentId)).toBe(0);
  });

  it('of an interrupted rebuild are deleted in short transactions when the next rebuild begins', async () => {
    const { experiment } = await withCells();
    const { id: experimentId } = experiment;
    await fill(experiment, 2);
    await scene.api.database.transaction((tx) =>
      tx.query(
        `UPDATE experiment_results SET rebuild_generation = 2, rebuild_version = rules_version, rebuild_rules = rules,
                rebuilt_to = 'x' WHERE experiment_id = ?`,
        [experimentId],
      ),
    );
    expect(await countCells(experimentId)).toBe(2 * CELLS);
    const rebuilds = scene.api.app.get(RebuildService, { strict: false });
    await interrupted(() => rebuilds.rebuild({ experimentId }));
    const left = (await countCells(experimentId)) - CELLS;
    expect([left > 0, left < CELLS]).toEqual([true, true]);
    expect(await entered(experiment)).toBe(CELLS);
    await rebuilds.rebuild({ experimentId });
    expect(await countCells(experimentId)).toBe(0);
  });

  describe('that a killed process left behind', () => {
    const leftovers = (): LeftoverCells => scene.api.app.get(LeftoverCells, { strict: false });
    const generations = async (experimentId: number): Promise<[string, number, number][]> => {
      const found: [string, number, number][] = [];
      for (const table of ['result_cells', 'entry_cells']) {
        const rows: { generation: number; count: number | string }[] = await scene.api.database.read.query(
          `SELECT generation, COUNT(*) AS count FROM ${table} WHERE experiment_id = ? GROUP BY generation`,
          [experimentId],
        );
        found.push(
          ...rows.map((row): [string, number, number] => [table, row.generation, Number(row.count)]),
        );
      }
      return found;
    };
    const set = (experimentId: number, generation: number, rebuild: number | null): Promise<unknown> =>
      scene.api.database.transaction((tx) =>
        tx.query(
          `UPDATE experiment_results SET generation = ?, rebuild_generation = ?, rebuild_version = rules_version,
                  rebuilt_to = CASE WHEN ? IS NULL THEN NULL ELSE 'x' END WHERE experiment_id = ?`,
          [generation, rebuild, rebuild, experimentId],
        ),
      );

    it.each([
      ['after a rebuild', 2, null, [2]],
      ['after it had cancelled a rebuild', 1, null, [1]],
      ['after the rebuild before the one that is running', 2, 3, [2, 3]],
    ])('%s are the only cells deleted, in short transactions', async (_, shown, rebuild, kept) => {
      const { experiment } = await withCells();
      const { id } = experiment;
      await fill(experiment, 2);
      if (rebuild === 3) {
        await fill(experiment, 3);
      }
      await set(id, shown, rebuild);
      await interrupted(() => leftovers().remove());
      const counts = (await generations(id)).map(([, , count]) => count);
      const left = counts.reduce((sum, count) => sum + count, 0) - 2 * kept.length * CELLS;
      expect([left > 0, left < 2 * CELLS]).toEqual([true, true]);
      await leftovers().remove();
      expect(await generations(id)).toEqual(
        ['result_cells', 'entry_cells'].flatMap((table) => kept.map((number) => [table, number, CELLS])),
      );
      expect(await entered(experiment)).toBe(CELLS);
      expect(
        await scene.api.app
          .get(CellStore, { strict: false })
          .experimentsWithLeftovers(scene.api.database.read),
      ).toEqual([]);
    });
  });
});
