import { HostLookup } from '../../src/webhooks/host-lookup';
import { RetrySchedule } from '../../src/webhooks/retry-schedule';
import { DnsServer } from '../support/dns-server';
import { type Made, useScene } from '../support/scene';
import { eventually } from '../support/waiting';
import { LOOPBACK, removeWebhooks, sendDue, subscribe, useReceiver } from '../support/webhooks';

/* Receivers whose DNS server does not respond. */

const HOSTS = Array.from({ length: 12 }, (_, index) => `h${index}.dead.example`);
/** Less than the timeout of a lookup. */
const WITHIN_MS = 40_000;
const GOOD = 'receiver.good.example';

const scene = useScene(LOOPBACK);
const receiver = useReceiver();
let dns: DnsServer;

beforeAll(async () => {
  dns = await DnsServer.start();
  dns.names = { ...Object.fromEntries(HOSTS.map((host) => [host, null])), [GOOD]: ['127.0.0.1'] };
});
afterEach(async () => {
  await removeWebhooks(scene.client, scene.make);
  await removeWebhooks(scene.other.client, scene.other.make);
});
afterAll(() => dns.close());

it('do not delay the webhooks of other teams', async () => {
  const server = await scene.api.sibling({ ...LOOPBACK, WORKER: 'inline' });
  Object.assign(server.app.get(RetrySchedule, { strict: false }), { timeoutMs: 60_000 });
  dns.serve(server.app.get(HostLookup, { strict: false }));
  for (const host of HOSTS) {
    const { path } = await subscribe(scene.make, ['experiment.paused'], { url: `https://${host}/` });
    await scene.client.post(`${path}/test`);
  }
  const areWaiting = await eventually(() => HOSTS.every((host) => dns.asked.includes(host)), WITHIN_MS);
  const url = `http://${GOOD}:${receiver.it.port}/`;
  const { path } = await subscribe(scene.other.make, ['experiment.paused'], { url });
  await scene.other.client.post(`${path}/test`);
  const hasArrived = await eventually(() => receiver.it.received.length === 1, WITHIN_MS);
  dns.release();
  await server.close();
  expect([areWaiting, hasArrived]).toEqual([true, true]);
});

it('are not looked up any longer once the attempt has timed out', async () => {
  const lookup = scene.api.app.get(HostLookup, { strict: false });
  dns.serve(lookup);
  Object.assign(scene.api.app.get(RetrySchedule, { strict: false }), { timeoutMs: 50 });
  const lookups = jest.spyOn(lookup, 'addressesOf');
  const { path } = await subscribe(scene.make, ['experiment.paused'], { url: `https://${HOSTS[0]}/` });
  await scene.client.post(`${path}/test`);
  await sendDue(scene.api);
  const [delivery] = (await scene.client.get(`${path}/deliveries`)).body as Made[];
  expect(delivery).toMatchObject({ status: 'dead', error: 'The receiver did not respond in time.' });
  await expect(lookups.mock.results[0].value).rejects.toThrow();
  expect(lookups.mock.calls[0][1].aborted).toBe(true);
});
