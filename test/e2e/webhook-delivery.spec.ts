import type { LookupAddress } from 'node:dns';
import { HostLookup } from '../../src/webhooks/host-lookup';
import { RetrySchedule } from '../../src/webhooks/retry-schedule';
import type { TestApi } from '../support/api';
import { anotherProject, Made, Maker, useScene } from '../support/scene';
import {
  bodiesFor,
  LOOPBACK,
  Receiver,
  removeWebhooks,
  sendDue,
  subscribe,
  useReceiver,
} from '../support/webhooks';

/* Webhook delivery to failing receivers: at least once, and in order for each experiment. */

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
let make: Maker;

beforeEach(async () => {
  make = await anotherProject(scene);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await removeWebhooks(scene.client, make);
});

const now = (): number => Date.now() * 1_000;

const deliveriesOf = async ({ path }: Made): Promise<Made[]> =>
  (await scene.client.get(`${path}/deliveries`)).body as Made[];

/** Creates a webhook with one pending message. */
async function waiting(fields: object = {}): Promise<Made> {
  const webhook = await subscribe(make, ['experiment.started'], { url: receiver.it.url, ...fields });
  await make.withStatus('running');
  return webhook;
}

/**
 * Sends due messages now and after each further delay in `waits`, in microseconds. @returns the time of the last
 * attempt
 */
async function sendAfter(waits: readonly number[], api: TestApi = scene.api): Promise<number> {
  let at = now() + SECOND;
  for (const wait of [0, ...waits]) {
    at += wait;
    await sendDue(api, at);
  }
  return at;
}

describe('a message that fails', () => {
  it.each([
    ['that is down', null, /refused the connection/],
    ['that returns 500', 500, /status 500/],
    ['that returns 404', 404, /status 404/],
    ['that redirects', 302, /Redirects are not followed/],
  ])('because of a receiver %s is retried', async (_, status, error) => {
    const target = await Receiver.start();
    const other = await Receiver.start();
    target.answering = (response) => response.writeHead(status ?? 0, { location: other.url }).end();
    const webhook = await waiting({ url: target.url });
    const { port } = target;
    if (status === null) {
      await target.close();
    }
    const at = await sendAfter([]);
    const [failed] = await deliveriesOf(webhook);
    expect(failed).toMatchObject({ status: 'pending', tries: 1, response_status: status });
    expect(failed.error).toMatch(error);
    expect(failed.error).not.toContain(String(port));
    expect(other.received).toEqual([]);
    await sendDue(scene.api, at + SECOND);
    expect((await deliveriesOf(webhook))[0].tries).toBe(1);
    await sendDue(scene.api, at + 10 * SECOND);
    expect((await deliveriesOf(webhook))[0].tries).toBe(2);
    await other.close();
    if (status !== null) {
      expect(new Set(target.received.map(({ body }) => body)).size).toBe(1);
      expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await target.close();
    }
  });

  it('to a slow receiver times out, regardless of later data', async () => {
    Object.assign(scene.api.app.get(RetrySchedule, { strict: false }), { timeoutMs: 50 });
    receiver.it.answering = () => undefined;
    const webhook = await waiting();
    await sendAfter([]);
    Object.assign(scene.api.app.get(RetrySchedule, { strict: false }), { timeoutMs: 10_000 });
    expect(await deliveriesOf(webhook)).toMatchObject([
      { status: 'pending', tries: 1, response_status: null, error: expect.stringMatching(/in time/) },
    ]);
  });

  it('to a receiver that switches protocols is retried', async () => {
    receiver.it.answering = (response) =>
      response.writeHead(101, { connection: 'Upgrade', upgrade: 'websocket' }).end();
    const webhook = await waiting();
    await sendAfter([]);
    expect(await deliveriesOf(webhook)).toMatchObject([
      { status: 'pending', tries: 1, response_status: null, error: expect.stringMatching(/final response/) },
    ]);
  });

  it.each([
    [10, 'delivered', { response_status: 204, error: null }],
    [11, 'pending', { response_status: null, error: expect.stringMatching(/interim/) as unknown }],
  ])('to a receiver that first sends %i interim responses is %s', async (count, status, outcome) => {
    receiver.it.answering = (response) => {
      for (let sent = 0; sent < count; sent += 1) {
        response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      }
      response.writeHead(204).end();
    };
    const webhook = await waiting();
    await sendAfter([]);
    expect(await deliveriesOf(webhook)).toMatchObject([{ status, ...outcome }]);
  });

  it('does not include a message that got a success status, even if the response body never ends', async () => {
    receiver.it.answering = (response) => {
      response.writeHead(200);
      const more = (): boolean => response.write('x'.repeat(65_536));
      response.on('drain', more).on('error', () => undefined);
      more();
    };
    const webhook = await waiting();
    await sendAfter([]);
    expect(await deliveriesOf(webhook)).toMatchObject([{ status: 'delivered', response_status: 200 }]);
  });

  it('is retried after Retry-After', async () => {
    receiver.it.answering = (response) => response.writeHead(429, { 'retry-after': '900' }).end();
    const webhook = await waiting();
    const at = await sendAfter([]);
    await sendDue(scene.api, at + 14 * MINUTE);
    expect((await deliveriesOf(webhook))[0].tries).toBe(1);
    await sendDue(scene.api, at + 15 * MINUTE);
    expect((await deliveriesOf(webhook))[0].tries).toBe(2);
  });

  it('is dead after 8 attempts within 24 hours, and a user can retry it', async () => {
    receiver.it.answering = (response) => response.writeHead(503).end();
    const webhook = await waiting();
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const at = await sendAfter([5, 300, 1_800, 5_400, 12_600, 21_600, 36_000].map((wait) => wait * SECOND));
    const [dead] = await deliveriesOf(webhook);
    expect(dead).toMatchObject({ status: 'dead', tries: 8, next_try_at: null, response_status: 503 });
    expect(receiver.it.received).toHaveLength(8);
    await sendDue(scene.api, at + 100 * HOUR);
    expect(receiver.it.received).toHaveLength(8);
    receiver.it.answering = (response) => response.writeHead(200).end();
    const retried = await scene.client.post(`${webhook.path}/deliveries/${dead.id}/retry`);
    expect(retried.body).toMatchObject({ status: 'pending', tries: 0 });
    await sendDue(scene.api);
    expect(await deliveriesOf(webhook)).toMatchObject([{ status: 'delivered', tries: 1, error: null }]);
  });

  it('with the status 410 disables the webhook, and no more messages are sent', async () => {
    receiver.it.answering = (response) => response.writeHead(410).end();
    const webhook = await waiting();
    const etag = (await scene.client.get(webhook.path)).headers.etag;
    await sendAfter([HOUR, HOUR]);
    expect(receiver.it.received).toHaveLength(1);
    const shown = await scene.client.get(webhook.path);
    expect([shown.body.is_active, shown.headers.etag === etag]).toEqual([false, false]);
    const log = await scene.client.get(`${make.project}/audit?item_type=webhook&action=update`);
    expect(log.body).toMatchObject([{ after: { is_active: false }, actor: { user_id: null } }]);
    await make.withStatus('running');
    expect(await bodiesFor(scene.api, webhook)).toHaveLength(1);
  });
});

describe('the order of messages', () => {
  it('follows the events of an experiment, but no experiment waits for another', async () => {
    const webhook = await subscribe(
      make,
      ['experiment.started', 'experiment.paused', 'experiment.archived'],
      {
        url: receiver.it.url,
      },
    );
    const [stuck, free] = [await make.ready({ name: 'Stuck' }), await make.ready({ name: 'Free' })];
    receiver.it.answering = (response, { body }) =>
      response.writeHead(body.includes('Stuck') ? 500 : 204).end();
    for (const status of ['running', 'pause', 'archive']) {
      await make.move(stuck, status);
      await make.move(free, status);
    }
    const at = await sendAfter([]);
    const got = (name: string): string[] =>
      receiver.it.bodies
        .filter(({ data }) => (data.experiment as Made).name === name)
        .map(({ type }) => type);
    expect(got('Free')).toEqual(['experiment.started', 'experiment.paused', 'experiment.archived']);
    expect(got('Stuck')).toEqual(['experiment.started']);
    receiver.it.answering = (response) => response.writeHead(204).end();
    await sendDue(scene.api, at + HOUR);
    expect(got('Stuck')).toEqual([
      'experiment.started',
      'experiment.started',
      'experiment.paused',
      'experiment.archived',
    ]);
    expect((await deliveriesOf(webhook)).map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => 'delivered'),
    );
  });

  it('is kept by two processes, which send every message once', async () => {
    const sibling = await scene.api.sibling(LOOPBACK);
    await subscribe(make, ['experiment.started', 'experiment.paused'], { url: receiver.it.url });
    const experiments = [await make.ready({ name: 'One' }), await make.ready({ name: 'Two' })];
    for (const status of ['running', 'pause', 'running', 'pause']) {
      for (const experiment of experiments) {
        await make.move(experiment, status);
      }
    }
    await Promise.all([sendDue(scene.api), sendDue(sibling)]);
    await sendDue(scene.api);
    const order = ['experiment.started', 'experiment.paused', 'experiment.started', 'experiment.paused'];
    for (const { id } of experiments) {
      const own = receiver.it.bodies.filter(({ data }) => (data.experiment as Made).id === id);
      expect(own.map(({ type }) => type)).toEqual(order);
    }
    await sibling.close();
  });

  it('is kept because only one of two processes can claim a due message', async () => {
    const { DeliveryStore } = await import('../../src/webhooks/delivery.store.js');
    await waiting();
    const store = scene.api.app.get(DeliveryStore, { strict: false });
    const at = now() + SECOND;
    const [due] = await store.due(at, 20, [], []);
    const claim = () => scene.api.database.transaction((tx) => store.claim(tx, due, at + HOUR));
    expect([await claim(), await claim()]).toEqual([true, false]);
  });

  it('a message whose process was killed is sent by another process once its lease has expired', async () => {
    const { DeliverySender } = await import('../../src/webhooks/delivery-sender.js');
    await waiting();
    const sender = scene.api.app.get(DeliverySender, { strict: false });
    const at = now() + SECOND;
    const [lost] = await sender.claim(20, [], at);
    await sendDue(scene.api, at + 59 * SECOND);
    expect(receiver.it.received).toHaveLength(0);
    await sendDue(scene.api, at + 60 * SECOND);
    expect(receiver.it.received).toHaveLength(1);
    // The first process was only slow, and its result comes too late.
    receiver.it.answering = (response) => response.writeHead(500).end();
    await sender.deliver(lost, () => at + 61 * SECOND);
    await sendDue(scene.api, at + HOUR);
    expect(receiver.it.received).toHaveLength(2);
  });
});

describe('an address', () => {
  const resolveTo = (api: TestApi, ...answers: string[]): jest.SpyInstance<Promise<LookupAddress[]>> =>
    jest
      .spyOn(api.app.get(HostLookup, { strict: false }), 'addressesOf')
      .mockImplementation(() =>
        Promise.resolve([{ address: answers.length > 1 ? answers.shift()! : answers[0], family: 4 }]),
      );

  it('that resolves to a private network is rejected, even if a second lookup would return an allowed one', async () => {
    const strict = await scene.api.sibling({ WEBHOOK_ALLOW: '10.99.0.0/16' });
    const webhook = await waiting({ url: `http://rebinding.example.com:${receiver.it.port}/` });
    // The first lookup returns a private address. A second lookup would return an allowed one.
    const lookups = resolveTo(strict, '127.0.0.1', '10.99.0.1');
    await sendAfter([], strict);
    expect(lookups).toHaveBeenCalledTimes(1);
    expect(receiver.it.received).toEqual([]);
    const [refused] = await deliveriesOf(webhook);
    expect(refused).toMatchObject({ status: 'pending', tries: 1, response_status: null });
    expect(refused.error).toMatch(/not allowed/);
    expect(refused.error).not.toContain('127.0.0.1');
    await strict.close();
  });

  it('that a request uses is the checked one: a name is resolved once per request', async () => {
    await waiting({ url: `http://receiver.example.com:${receiver.it.port}/` });
    const lookups = resolveTo(scene.api, '127.0.0.1', '203.0.113.1');
    await sendAfter([]);
    expect(lookups).toHaveBeenCalledTimes(1);
    expect(receiver.it.received).toHaveLength(1);
    expect(receiver.it.received[0].headers.host).toBe(`receiver.example.com:${receiver.it.port}`);
  });

  it('that was allowed when it was saved is checked again', async () => {
    const strict = await scene.api.sibling();
    const webhook = await waiting();
    await sendAfter([], strict);
    expect(receiver.it.received).toEqual([]);
    expect((await deliveriesOf(webhook))[0].error).toMatch(/not allowed/);
    await strict.close();
  });
});
