import { TrashService } from '../../src/projects/trash/trash.service';
import { OutboxStore } from '../../src/webhooks/outbox.store';
import { WebhookSwitch } from '../../src/webhooks/webhook-switch';
import { anotherProject, Made, useScene } from '../support/scene';
import { LOOPBACK, Receiver, sendDue, subscribe, useReceiver } from '../support/webhooks';

/* Webhooks that change while they have pending messages. */

const scene = useScene(LOOPBACK);
const receiver = useReceiver();

it('a webhook stays active at its new URL if the previous receiver returns 410', async () => {
  const { client, make } = scene;
  const previous = await Receiver.start();
  const webhook = await subscribe(make, ['experiment.started'], { url: previous.url });
  previous.answering = (response) =>
    void client.patch(webhook.path, { url: receiver.it.url }).then(() => response.writeHead(410).end());
  await make.withStatus('running');
  await sendDue(scene.api);
  await previous.close();
  expect((await client.get(webhook.path)).body).toMatchObject({ is_active: true });
  const deliveries = async (): Promise<Made[]> => (await client.get(`${webhook.path}/deliveries`)).body;
  expect(await deliveries()).toMatchObject([{ status: 'pending', tries: 1, response_status: 410 }]);
  await sendDue(scene.api, (Date.now() + 60_000) * 1_000);
  expect(await deliveries()).toMatchObject([{ status: 'delivered', tries: 2 }]);
  expect(receiver.it.received).toHaveLength(1);
});

it('a webhook stays active if its URL changes after the response is checked', async () => {
  const { api, client } = scene;
  const make = await anotherProject(scene, 'Moved receiver');
  const webhook = await subscribe(make, ['experiment.started'], { url: receiver.it.url });
  const called = { webhook_id: webhook.id, project_id: make.projectId };
  const switches = api.app.get(WebhookSwitch, { strict: false });
  const isActive = async (): Promise<unknown> => (await client.get(webhook.path)).body.is_active;
  await switches.turnOff({ ...called, url: 'http://127.0.0.1:9/previous' });
  expect(await isActive()).toBe(true);
  await switches.turnOff({ ...called, url: receiver.it.url });
  expect(await isActive()).toBe(false);
});

it('a webhook that is deactivated while an event is stored gets no message', async () => {
  const { api } = scene;
  const make = await anotherProject(scene, 'Deactivated');
  const webhook = await subscribe(make, ['experiment.verdict'], { url: receiver.it.url });
  const outbox = api.app.get(OutboxStore, { strict: false });
  const deactivate = 'UPDATE webhooks SET is_active = 0 WHERE id = ?';
  const subscribers = await api.database.transaction(async (tx) => {
    const found: unknown[] = await tx.query('SELECT id FROM webhooks WHERE id = ?', [webhook.id]);
    const query = jest.spyOn(tx, 'query').mockImplementationOnce(async () => {
      await tx.query(deactivate, [webhook.id]);
      return found;
    });
    const ids = await outbox.subscribers(tx, make.projectId, 'experiment.verdict');
    query.mockRestore();
    return ids;
  });
  expect(subscribers).toEqual([]);
});

it('a project in the trash keeps its messages until it is restored', async () => {
  const { api, client } = scene;
  const make = await anotherProject(scene, 'In the trash');
  await subscribe(make, ['experiment.started'], { url: receiver.it.url });
  await make.move(await make.withStatus('running'), 'pause');
  expect((await client.delete(make.project)).status).toBe(204);
  await sendDue(api);
  expect(receiver.it.received).toHaveLength(0);
  const key = { type: 'project' as const, id: make.projectId };
  expect(await api.app.get(TrashService, { strict: false }).restore(key, 'admin')).toBeNull();
  await sendDue(api);
  expect(receiver.it.received).toHaveLength(1);
});

it('a webhook that is disabled keeps its messages until it is enabled again', async () => {
  const { client } = scene;
  const make = await anotherProject(scene);
  const webhook = await subscribe(make, ['experiment.started'], { url: receiver.it.url });
  await make.withStatus('running');
  const switchTo = (is_active: boolean) => client.patch(webhook.path, { is_active });
  expect((await switchTo(false)).status).toBe(200);
  await sendDue(scene.api);
  expect(receiver.it.received).toHaveLength(0);
  await switchTo(true);
  await sendDue(scene.api);
  expect(receiver.it.received).toHaveLength(1);
});
