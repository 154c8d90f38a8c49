import { EventPurge } from '../../src/events/event-purge';
import { TrashService } from '../../src/trash/trash.service';
import { attributeAll, conversion, exposure, send, shownCells, storedEvents } from '../support/events';
import { Made, Maker, useScene } from '../support/scene';

const scene = useScene();
const trash = (): TrashService => scene.api.app.get(TrashService, { strict: false });

interface Collected {
  project: { id: number; path: string; key: string };
  experiments: Made[];
}

/** A project with two experiments that share visitors, more of them than are removed in one step. */
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

  it('lets requests be served between its steps', async () => {
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
