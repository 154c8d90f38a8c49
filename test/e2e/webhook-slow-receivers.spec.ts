import { DeliverySender } from '../../src/webhooks/delivery-sender';
import { Outbox } from '../../src/webhooks/outbox';
import { RetrySchedule } from '../../src/webhooks/retry-schedule';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import { LOOPBACK, Receiver, removeWebhooks, subscribe, useReceiver } from '../support/webhooks';
import { eventually } from '../support/waiting';

/* Receivers that do not respond occupy as few concurrent requests as possible. */

const HOUR = 3_600_000_000;
/** Less than a third of the time after which other processes send the deliveries of a stopped process. */
const WITHIN_MS = 15_000;

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
let make: Maker;

beforeEach(async () => {
  make = await anotherProject(scene);
});
afterEach(() => removeWebhooks(scene.client, make));

describe('a slow receiver', () => {
  const record = (type: 'experiment.paused' | 'experiment.archived', { id: experimentId }: Made) =>
    scene.api.database.transaction((tx) => {
      const data = { status: 'pause', previous_status: 'running' };
      const projectId = make.projectId;
      return scene.api.app.get(Outbox, { strict: false }).record(tx, { type, projectId, experimentId, data });
    });

  const arrived = (at: Receiver, count: number) => eventually(() => at.received.length === count, WITHIN_MS);

  /** Starts a server that sends messages. Its requests do not time out before the test does. */
  const patientServer = async () => {
    const server = await scene.api.sibling({ ...LOOPBACK, WORKER: 'inline' });
    Object.assign(server.app.get(RetrySchedule, { strict: false }), { timeoutMs: 3 * WITHIN_MS });
    return server;
  };

  it('does not delay other webhooks, even with messages of many experiments', async () => {
    const slow = await Receiver.start();
    slow.answering = () => undefined;
    await subscribe(make, ['experiment.paused'], { url: slow.url });
    await subscribe(make, ['experiment.archived'], { url: receiver.it.url });
    const server = await patientServer();
    for (let count = 0; count < 20; count += 1) {
      await record('experiment.paused', await make.experiment());
    }
    await record('experiment.archived', await make.experiment());
    const arrive = [await arrived(receiver.it, 1), await arrived(slow, 4)];
    await record('experiment.archived', await make.experiment());
    arrive.push(await arrived(receiver.it, 2));
    const { length } = slow.received;
    await Promise.all([server.close(), slow.close()]);
    expect([arrive, length]).toEqual([[true, true, true], 4]);
  });

  it('gets one request at a time after a failure, so several slow receivers do not delay the others', async () => {
    const sender = scene.api.app.get(DeliverySender, { strict: false });
    const webhook = await subscribe(make, ['experiment.paused'], { url: receiver.it.url });
    const others = await subscribe(make, ['experiment.archived'], { url: receiver.it.url });
    for (let count = 0; count < 6; count += 1) {
      await record('experiment.paused', await make.experiment());
    }
    const claimed = async (at: number) => {
      const deliveries = await sender.claim(20, [], at);
      return deliveries.filter(({ webhook_id }) => [webhook.id, others.id].includes(webhook_id));
    };
    const start = Date.now() * 1_000;
    const [first, ...further] = await claimed(start);
    expect(further).toHaveLength(3);
    receiver.it.answering = (response) => response.writeHead(500).end();
    await sender.deliver(first, () => start);
    await record('experiment.archived', await make.experiment());
    const [again, other, ...more] = await claimed(start + HOUR);
    expect([again.webhook_id, other.webhook_id, more]).toEqual([webhook.id, others.id, []]);
    expect(await sender.claim(20, [again], start + HOUR)).toEqual([]);
    receiver.it.answering = (response) => response.writeHead(200).end();
    await sender.deliver(again, () => start + HOUR);
    expect(await claimed(start + 2 * HOUR)).toHaveLength(5);
  });

  it('gets a test message while another request to it runs, even after a failure', async () => {
    receiver.it.answering = (response) => response.writeHead(500).end();
    const webhook = await subscribe(make, ['experiment.paused'], { url: receiver.it.url });
    const server = await patientServer();
    await record('experiment.paused', await make.experiment());
    const hasFailed = await arrived(receiver.it, 1);
    receiver.it.answering = () => undefined;
    await record('experiment.paused', await make.experiment());
    const isRunning = await arrived(receiver.it, 2);
    await scene.client.post(`${webhook.path}/test`);
    const hasTest = await arrived(receiver.it, 3);
    const last = receiver.it.bodies.at(-1)?.type;
    receiver.it.dropConnections();
    await server.close();
    expect([hasFailed, isRunning, hasTest, last]).toEqual([true, true, true, 'webhook.test']);
  });

  it('leaves requests for other teams, even if its team has many such webhooks and tests them', async () => {
    const { other } = scene;
    for (let count = 0; count < 12; count += 1) {
      const { path } = await subscribe(make, ['experiment.paused'], { url: receiver.it.url });
      await scene.client.post(`${path}/test`);
    }
    await record('experiment.paused', await make.experiment());
    const webhook = await subscribe(other.make, ['experiment.paused'], { url: receiver.it.url });
    await other.client.post(`${webhook.path}/test`);
    const sender = scene.api.app.get(DeliverySender, { strict: false });
    const first = await sender.claim(20, []);
    const second = await sender.claim(20 - first.length, first);
    const third = await sender.claim(20 - first.length - second.length, [...first, ...second]);
    await removeWebhooks(other.client, other.make);
    const teams = [first, second, third].map((claimed) => claimed.map(({ team_id }) => team_id));
    const [{ id: otherTeam }] = (await other.client.get('/teams')).body as Made[];
    expect(teams).toEqual([Array.from({ length: 10 }, () => scene.world.teamId), [otherTeam], []]);
  });
});
