import { GrowthBook, GrowthBookClient, setPolyfills } from '@growthbook/growthbook';
import { EventSource } from 'eventsource';
import { addEnvironment, newSite, running, Site } from '../support/delivery';
import { EventSourceClient } from '../support/event-source';
import { errorsOf, Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { eventually, until } from '../support/waiting';

/* GET /sub/{clientKey}: payloads as server-sent events, as soon as they are live. */

const scene = useScene();
let address: string;
let site: Site;
let open: EventSourceClient[] = [];

beforeAll(async () => {
  address = await listening(scene.api.app);
  setPolyfills({ EventSource });
});

beforeEach(async () => {
  site = await newSite(scene);
});
afterEach(() => {
  open.forEach((stream) => stream.close());
  open = [];
});

async function streamOf(path: string, headers: Record<string, string> = {}): Promise<EventSourceClient> {
  const stream = await EventSourceClient.open(`${address}/sub/${path}`, headers);
  open.push(stream);
  return stream;
}

const payload = async (query = '') =>
  (await scene.api.as(null).get(`//api/features/${site.key}${query}`)).text;

/** Waits for `count` events. @returns the data of all events so far */
async function dataOf(stream: EventSourceClient, count: number): Promise<string[]> {
  await stream.until(() => stream.events.length >= count);
  return stream.events.map(({ data }) => data);
}

describe('a stream', () => {
  it('starts with the live payload', async () => {
    await running(site);
    const stream = await streamOf(site.key, { origin: 'https://shop.example' });
    expect(await dataOf(stream, 1)).toEqual([await payload()]);
    expect(stream.events[0].type).toBe('features');
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-sse-support': 'enabled',
      'access-control-allow-origin': '*',
    });
    expect(stream.text).toMatch(/^retry: [2-4]\d{3}\n\n/);
  });

  it('sends each payload that its project publishes, and no payloads of other projects', async () => {
    const first = await running(site);
    const other = await newSite(scene);
    const [own, foreign] = [await streamOf(site.key), await streamOf(other.key)];
    const expected = [await payload()];
    await dataOf(own, 1);
    const second = await running(site);
    expected.push(await payload());
    expect(await dataOf(own, 2)).toEqual(expected);
    await site.make.move(first, 'pause');
    expected.push(await payload());
    expect(await dataOf(own, 3)).toEqual(expected);
    await scene.client.patch(second.path, { traffic_allocation: 50 });
    await scene.client.patch(`${second.path}/publish`);
    expected.push(await payload());
    expect(await dataOf(own, 4)).toEqual(expected);
    expect(new Set(expected).size).toBe(4);
    expect(foreign.events).toHaveLength(1);
  });

  it('sends nothing if a publication does not change the payload', async () => {
    const experiment = await running(site, 2, { css: '.a{}' });
    const [features, whole] = [await streamOf(site.key), await streamOf(`${site.key}?experiments=1`)];
    await Promise.all([dataOf(features, 1), dataOf(whole, 1)]);
    await scene.client.patch(experiment.path, { css: '.b{}' });
    await scene.client.patch(`${experiment.path}/publish`);
    const last = await dataOf(whole, 2);
    expect(last.at(-1)).toBe(await payload('?experiments=1'));
    expect(last.at(-1)).toContain('.b{}');
    expect(features.events).toHaveLength(1);
  });

  it('sends the payload for the requested environment', async () => {
    const staging = await addEnvironment(scene, site, 'Staging');
    await running(site, 2, { api_name: 'there', environments: [staging] });
    const stream = await streamOf(`${site.key}?environment=staging`);
    expect(Object.keys((JSON.parse((await dataOf(stream, 1))[0]) as Made).features)).toEqual(['there']);
  });

  it('does not repeat a known payload after a reconnect', async () => {
    await running(site);
    const before = await streamOf(site.key);
    await dataOf(before, 1);
    const known = before.events[0].id!;
    before.close();
    const after = await streamOf(site.key, { 'last-event-id': known });
    await running(site);
    expect(await dataOf(after, 1)).toEqual([await payload()]);
    const other = await streamOf(site.key, { 'last-event-id': 'x'.repeat(5_000) });
    expect(await dataOf(other, 1)).toEqual([await payload()]);
  });

  it('ends when its project is deleted', async () => {
    const stream = await streamOf(site.key);
    await dataOf(stream, 1);
    expect((await scene.client.delete(site.make.project)).status).toBe(204);
    await stream.ended;
    expect((await streamOf(site.key)).status).toBe(404);
  });

  it('is rejected for pages of sites that are not allowed', async () => {
    const own = 'https://shop.example';
    await scene.client.patch(`${site.make.project}/settings`, { allowed_origins: [own] });
    const [allowed, refused] = [
      await streamOf(site.key, { origin: own }),
      await streamOf(site.key, { origin: 'https://other.example' }),
    ];
    expect([allowed.status, refused.status]).toEqual([200, 403]);
    expect(allowed.response.headers.vary).toContain('Origin');
  });
});

it.each<[string, string]>([
  ['that is unknown', 'pk_nobody'],
  ['that is too long', 'x'.repeat(500)],
  ['with a control character', '%00'],
])('a stream does not exist for a key %s', async (_, key) => {
  expect((await streamOf(key)).status).toBe(404);
});

it('a stream is rejected for invalid parameters', async () => {
  for (const [query, field] of [
    ['environment=x', 'environment'],
    ['experiments=x', 'experiments'],
  ]) {
    const answer = await scene.api.as(null).get(`//sub/${site.key}?${query}`);
    expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([422, [field]]);
  }
});

it('the server responds to HEAD and preflights without opening a stream', async () => {
  const head = await fetch(`${address}/sub/${site.key}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const preflight = await fetch(`${address}/sub/${site.key}`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('last-event-id');
  const openStreams = async (): Promise<string | undefined> =>
    /^gosset_streams_open (\d+)$/m.exec((await scene.api.as(null).get('//metrics')).text)?.[1];
  // Streams of earlier tests may still be open.
  await eventually(async () => (await openStreams()) === '0');
  expect(await openStreams()).toBe('0');
});

it('the payload announces streams to SDKs, even on other origins', async () => {
  const { headers } = await fetch(`${address}/api/features/${site.key}`);
  expect(headers.get('x-sse-support')).toBe('enabled');
  expect(headers.get('access-control-expose-headers')).toContain('X-SSE-Support');
});

describe('@growthbook/growthbook with streaming: true', () => {
  afterEach(() => jest.restoreAllMocks());

  it('applies starts and pauses of experiments without a refresh', async () => {
    const warned = jest.spyOn(console, 'warn').mockImplementation();
    const [first] = [await running(site, 2, { api_name: 'first' })];
    const client = new GrowthBookClient({ apiHost: address, clientKey: site.key });
    await client.init({ timeout: 60_000, streaming: true });
    const known = (): string[] => Object.keys(client.getFeatures()).sort();
    expect(known()).toEqual(['first']);
    await running(site, 2, { api_name: 'second' });
    await until(() => known().length === 2);
    expect(known()).toEqual(['first', 'second']);
    await site.make.move(first, 'pause');
    await until(() => known().length === 1);
    expect(known()).toEqual(['second']);
    client.destroy({ destroyAllStreams: true });
    expect(warned).not.toHaveBeenCalled();
  });

  it('evaluates published experiments', async () => {
    const experiment = await running(site, 2, { api_name: 'evaluated' });
    const sdk = new GrowthBook({ apiHost: address, clientKey: site.key, attributes: { id: 'v' } });
    await sdk.init({ timeout: 60_000, streaming: true });
    const before = sdk.getFeatureValue('evaluated', 'default');
    expect(before).not.toBe('default');
    await scene.client.patch(experiment.path, { traffic_allocation: 0 });
    await scene.client.patch(`${experiment.path}/publish`);
    await until(() => sdk.getFeatureValue('evaluated', 'default') === 'default');
    expect(sdk.getFeatureValue('evaluated', 'default')).toBe('default');
    sdk.destroy({ destroyAllStreams: true });
  });
});
