import { Automation } from '../../src/platform/access/actor';
import type { ExperimentStatus } from '../../src/experiments/experiment-status';
import { AutomaticMove, ExperimentStatusService } from '../../src/experiments/experiment-status.service';
import type { TestApi } from '../support/api';
import { Made, useScene } from '../support/scene';

/* Status changes that the server makes on its own, by schedule or guardrail. */

const scene = useScene();

const move = (
  experiment: Made,
  to: ExperimentStatus,
  author: Automation,
  confirm: AutomaticMove['confirm'] = () => ({}),
  api: TestApi = scene.api,
) =>
  api.app.get(ExperimentStatusService, { strict: false }).changeAutomatically({
    projectId: scene.world.projectId,
    experimentId: experiment.id,
    author,
    to,
    confirm,
  });

const read = (path: string) => scene.client.get(path);

const newest = async (): Promise<Made> => (await read(`${scene.project}/audit?per_page=1`)).body[0] as Made;

const moves = async ({ id }: Made): Promise<unknown[]> =>
  (await read(`${scene.project}/audit?item_type=experiment&item_id=${id}&action=status`)).body as unknown[];

it.each(['schedule', 'guardrail'] as const)(
  'automatic status changes are published, with %s as their author',
  async (type) => {
    const experiment = await scene.make.ready();
    const before = await read(experiment.path);
    await move(experiment, 'running', type);
    const after = await read(experiment.path);
    expect(after.body).toMatchObject({ status: 'running', started_at: expect.any(String) });
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect(await moves(experiment)).toEqual([
      expect.objectContaining({
        actor: { type, user_id: null, user_name: null, token_id: null, token_name: null },
        before: expect.objectContaining({ status: 'draft' }),
        after: expect.objectContaining({ status: 'running' }),
        request_id: null,
      }),
    ]);
    expect((await read(`${scene.project}/publications`)).body[0]).toMatchObject({
      actor: { type },
      reason: 'status',
      changes: expect.arrayContaining([expect.objectContaining({ experiment_id: experiment.id })]),
    });
  },
);

it('automatic status changes can stop an experiment, which is then no longer published', async () => {
  const experiment = await scene.make.withStatus('running');
  const revision = (await read(scene.project)).body.snippet_revision as number;
  await move(experiment, 'pause', 'guardrail');
  expect((await read(experiment.path)).body).toMatchObject({ status: 'pause' });
  expect((await read(scene.project)).body.snippet_revision).toBe(revision + 1);
});

it('automatic status changes are rejected for the same reasons as API requests, and then store nothing', async () => {
  const experiment = await scene.make.experiment();
  const [before, last] = [await read(experiment.path), await newest()];
  const refused = await scene.client.patch(`${experiment.path}/status`, { status: 'running' });
  const { errors } = refused.body as { errors: object };
  await expect(move(experiment, 'running', 'schedule')).rejects.toMatchObject({ extra: { errors } });
  await expect(move(experiment, 'pause', 'schedule')).rejects.toMatchObject({ code: 'STATUS_NOT_ALLOWED' });
  expect(await newest()).toEqual(last);
  expect((await read(experiment.path)).headers.etag).toBe(before.headers.etag);
});

it('automatic status changes store nothing if they are no longer due', async () => {
  const experiment = await scene.make.ready();
  const [before, last] = [await read(experiment.path), await newest()];
  expect(await move(experiment, 'running', 'schedule', () => null)).toBeNull();
  expect(await move(experiment, 'draft', 'schedule', () => ({}))).toBeNull();
  expect(await newest()).toEqual(last);
  expect((await read(experiment.path)).headers.etag).toBe(before.headers.etag);
});

it('automatic status changes are executed once by concurrent processes', async () => {
  const experiment = await scene.make.withStatus('running');
  const others = await Promise.all([scene.api.sibling(), scene.api.sibling()]);
  const results = await Promise.all(
    [scene.api, ...others].map((api) => move(experiment, 'pause', 'guardrail', undefined, api)),
  );
  expect(results.filter((result) => result !== null)).toHaveLength(1);
  expect(await moves(experiment)).toHaveLength(2);
  for (const api of others) {
    await api.close();
  }
});

it('automatic status changes can store other columns along with the status', async () => {
  const experiment = await scene.make.ready();
  await move(experiment, 'running', 'schedule', () => ({ hypothesis: 'Set with it' }));
  expect((await read(experiment.path)).body).toMatchObject({ status: 'running', hypothesis: 'Set with it' });
});

it('automatic status changes do not apply to deleted experiments', async () => {
  const experiment = await scene.make.ready();
  await scene.client.delete(experiment.path);
  await expect(move(experiment, 'running', 'schedule')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
