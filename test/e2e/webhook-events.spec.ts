import { WEBHOOK_EVENTS } from '../../src/webhooks/webhook-events';
import { anotherProject, Made, Maker, TIMESTAMP, useScene } from '../support/scene';
import { bodiesFor, subscribe } from '../support/webhooks';

/* Webhook events are written in the transaction of the change. */

const scene = useScene();
let make: Maker;
let projectId: number;

beforeEach(async () => {
  make = await anotherProject(scene);
  projectId = make.projectId;
});

const typesFor = async (webhook: Made): Promise<string[]> =>
  (await bodiesFor(scene.api, webhook)).map(({ type }) => type);

it('experiment status changes are reported, together with publications', async () => {
  const webhook = await subscribe(make, WEBHOOK_EVENTS);
  const made = await make.ready({ name: 'Headline' });
  for (const status of ['preview', 'running', 'pause', 'running', 'preview', 'running', 'archive', 'pause']) {
    await make.move(made, status);
  }
  const experiment = { id: made.id, name: 'Headline', api_name: 'headline' };
  const bodies = await bodiesFor(scene.api, webhook);
  const own = bodies.filter(({ type }) => type.startsWith('experiment.'));
  expect(own.map(({ type, data }) => [type, data.previous_status, data.status])).toEqual([
    ['experiment.started', 'preview', 'running'],
    ['experiment.paused', 'running', 'pause'],
    ['experiment.started', 'pause', 'running'],
    ['experiment.paused', 'running', 'preview'],
    ['experiment.started', 'preview', 'running'],
    ['experiment.archived', 'running', 'archive'],
  ]);
  expect(own[0]).toEqual({
    type: 'experiment.started',
    timestamp: expect.stringMatching(TIMESTAMP),
    data: { project_id: projectId, experiment, status: 'running', previous_status: 'preview' },
  });
  const published = bodies.filter(({ type }) => type === 'project.published').map(({ data }) => data);
  expect(published).toHaveLength(6);
  expect(published.slice(0, 2)).toEqual([
    { project_id: projectId, revision: 1, previous_revision: null, reason: 'status' },
    { project_id: projectId, revision: 2, previous_revision: 1, reason: 'status' },
  ]);
});

it('a deleted experiment is reported as paused if it was running', async () => {
  const webhook = await subscribe(make, ['experiment.paused', 'project.published']);
  await scene.client.delete((await make.withStatus('pause')).path);
  await scene.client.delete((await make.ready()).path);
  const before = (await bodiesFor(scene.api, webhook)).length;
  const running = await make.withStatus('running', { name: 'Headline', api_name: 'headline' });
  await scene.client.delete(running.path);
  const bodies = (await bodiesFor(scene.api, webhook)).slice(before + 1);
  expect(bodies.map(({ type }) => type)).toEqual(['experiment.paused', 'project.published']);
  expect(bodies[0].data).toEqual({
    project_id: projectId,
    experiment: { id: running.id, name: 'Headline', api_name: 'headline' },
    status: 'pause',
    previous_status: 'running',
  });
  expect(before).toBe(3);
});

it('every webhook gets the selected events of its project, with one message id for each event', async () => {
  const both = await subscribe(make, ['experiment.started', 'experiment.paused']);
  const one = await subscribe(make, ['experiment.paused']);
  const elsewhere = await subscribe(scene.make, WEBHOOK_EVENTS);
  await make.withStatus('pause');
  expect(await typesFor(both)).toEqual(['experiment.started', 'experiment.paused']);
  expect(await typesFor(one)).toEqual(['experiment.paused']);
  expect(await typesFor(elsewhere)).toEqual([]);
  const messages: { message_id: string }[] = await scene.api.database.read.query(
    `SELECT DISTINCT message_id FROM webhook_deliveries WHERE webhook_id IN (?, ?)`,
    [both.id, one.id],
  );
  expect(messages).toHaveLength(2);
});

it('nothing is written for disabled webhooks, dry runs, or rejected changes', async () => {
  const off = await subscribe(make, WEBHOOK_EVENTS, { is_active: false });
  const on = await subscribe(make, WEBHOOK_EVENTS);
  const ready = await make.ready();
  const dry = await scene.client.patch(`${ready.path}/status?dry_run=1`, { status: 'running' });
  expect(dry.status).toBe(200);
  const refused = await scene.client.patch(`${ready.path}/status`, { status: 'pause' });
  expect(refused.status).toBe(422);
  const stale = await scene.client.send(
    'PATCH',
    `${ready.path}/status`,
    { status: 'running' },
    { 'if-match': '"0"' },
  );
  expect(stale.status).toBe(412);
  expect([await typesFor(off), await typesFor(on)]).toEqual([[], []]);
});
