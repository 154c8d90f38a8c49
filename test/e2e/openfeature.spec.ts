import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as ServerFeature } from '@openfeature/server-sdk';
import { OpenFeature as WebFeature } from '@openfeature/web-sdk';
import { exposureHook } from '../../clients/openfeature/exposure-hook';
import { nameOf, newSite, running, Site } from '../support/delivery';
import { attributeAll, storedEvents } from '../support/events';
import { ALL_FLAGS, ONE_FLAG, protocolProblem } from '../support/ofrep';
import { Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { until } from '../support/waiting';

/* Values that OpenFeature's npm providers return, and exposures that they record. */

const scene = useScene();
let address: string;
let site: Site;
let goal: Made;
let shown: Made;
let others: Made[];
let outside: Made;

beforeAll(async () => {
  address = await listening(scene.api.app);
});

beforeEach(async () => {
  site = await newSite(scene);
  goal = await site.make.goal({ name: 'Sale', value_type: 'revenue' });
  const audience = await site.make.audience({
    conditions: { type: 'attribute', name: 'plan', value: 'premium' },
  });
  shown = await running(site, 3, { api_name: 'shown', goals: [goal.id] });
  others = [await running(site), await running(site)];
  outside = await running(site, 2, { api_name: 'outside', traffic_allocation: 0 });
  await running(site, 2, { api_name: 'premium', audiences: [audience.id] });
});
afterEach(async () => {
  await ServerFeature.clearProviders();
  ServerFeature.clearHooks();
  await WebFeature.clearProviders();
  WebFeature.clearHooks();
});

const VISITOR = { targetingKey: 'visitor' };
const headers = (): [string, string][] => [['X-API-Key', site.key]];

/** A client with the provider for servers. The query is added to the provider's requests as documented. */
async function serverClient(query = '') {
  const fetchImplementation = (request: RequestInfo | URL): Promise<Response> =>
    fetch(new Request(`${(request as Request).url}${query}`, request as Request));
  const options = { baseUrl: address, headers: headers(), ...(query === '' ? {} : { fetchImplementation }) };
  await ServerFeature.setProviderAndWait(new OFREPProvider(options));
  return ServerFeature.getClient();
}

async function webClient() {
  await WebFeature.setContext(VISITOR);
  const options = { baseUrl: address, headers: headers(), pollInterval: -1 };
  await WebFeature.setProviderAndWait(new OFREPWebProvider(options));
  return WebFeature.getClient();
}

/** Participants and conversions of each experiment in its results. */
async function counted(): Promise<[number, number][]> {
  await attributeAll(scene.api);
  const counts: [number, number][] = [];
  for (const { path } of [shown, ...others, outside]) {
    const { status, body } = await scene.client.get(`${path}/results`);
    const figures = status === 404 ? [] : Object.values<Made>((body as Made[])[0].variationStatistics);
    const sum = (name: string): number => figures.reduce((total, each) => total + (each[name] as number), 0);
    counts.push([sum('participants'), sum('conversions')]);
  }
  return counts;
}

const storedOf = async () =>
  (await storedEvents(scene.api)).filter(({ experiment_id }) => experiment_id === shown.id);

const untilStored = (count = 1): Promise<void> =>
  until(async () => (await storedOf()).length >= count, 'stored exposures');

async function convert(): Promise<void> {
  const answer = await site.post('/v1/track', { user: { id: 'visitor' }, events: [{ id: goal.id }] });
  expect(answer.status).toBe(204);
}

async function decided(): Promise<string> {
  const { user } = (await site.post('/v1/decide', { user: { id: 'visitor' }, record: false })).body;
  return nameOf(shown, user.bucketing[shown.id] as number);
}

describe('@openfeature/ofrep-provider', () => {
  it('returns the decided variation, and records nothing', async () => {
    const client = await serverClient();
    expect(await client.getStringDetails('shown', 'default', VISITOR)).toMatchObject({
      value: await decided(),
      reason: 'SPLIT',
    });
    expect(await storedOf()).toEqual([]);
  });

  it('returns an error and the default value for visitors outside the experiment', async () => {
    const client = await serverClient();
    for (const key of ['outside', 'premium']) {
      const details = await client.getStringDetails(key, 'default', VISITOR);
      expect(details).toMatchObject({ value: 'default', reason: 'ERROR' });
    }
  });

  it('with values=always, returns the original for visitors outside the experiment', async () => {
    const client = await serverClient('?values=always');
    for (const key of ['outside', 'premium']) {
      const details = await client.getStringDetails(key, 'default', VISITOR);
      expect(details).toMatchObject({ value: 'variation-0', reason: 'DEFAULT' });
      expect(details.errorCode).toBeUndefined();
    }
    expect((await client.getStringDetails('shown', 'default', VISITOR)).value).toBe(await decided());
  });

  it('records only the exposure of the requested flag, once, with record=1', async () => {
    const client = await serverClient('?values=always&record=1');
    for (let times = 0; times < 3; times += 1) {
      const { value, flagMetadata } = await client.getStringDetails('shown', 'default', VISITOR);
      expect([value, flagMetadata.recorded]).toEqual([await decided(), true]);
    }
    await client.getStringDetails('outside', 'default', VISITOR);
    await convert();
    expect(await storedOf()).toHaveLength(1);
    expect(await counted()).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('the hook', () => {
  it('records evaluations on a server once', async () => {
    ServerFeature.addHooks(exposureHook(address, site.key));
    const client = await serverClient();
    const values = [
      await client.getStringValue('shown', 'default', VISITOR),
      await client.getStringValue('shown', 'default', VISITOR),
    ];
    expect(values).toEqual(Array(2).fill(await decided()));
    await client.getStringValue('outside', 'default', VISITOR);
    await untilStored();
    await convert();
    expect((await storedOf()).map(({ variation_id }) => nameOf(shown, variation_id!))).toEqual([values[0]]);
    expect((await counted())[0]).toEqual([1, 1]);
  });

  it('records evaluations on a page, but no other flags of the provider', async () => {
    WebFeature.addHooks(exposureHook(address, site.key));
    const client = await webClient();
    expect(client.getStringValue('shown', 'default')).toBe(await decided());
    expect(client.getStringValue('outside', 'default')).toBe('default');
    await untilStored();
    await convert();
    expect(await counted()).toEqual([
      [1, 1],
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it('does not repeat an exposure that a decision has recorded', async () => {
    await site.post('/v1/decide', { user: { id: 'visitor' }, selector: { experiments: [shown.id] } });
    const [before] = await storedOf();
    ServerFeature.addHooks(exposureHook(address, site.key));
    const client = await serverClient();
    await client.getStringValue('shown', 'default', { ...VISITOR, targetingKey: 'visitor' });
    await client.getStringValue('shown', 'default', { targetingKey: 'another' });
    await untilStored(2);
    const own = (await storedOf()).filter(({ visitor_id }) => visitor_id === 'visitor');
    expect(own).toEqual([before]);
  });
});

describe('the protocol', () => {
  const one = (query: string) => site.post(`${ALL_FLAGS}/shown${query}`, { context: VISITOR });
  const all = (query: string) => site.post(`${ALL_FLAGS}${query}`, { context: VISITOR });

  it('with values=always, returns the original for flags without a variation', async () => {
    const { body } = await all('?values=always');
    expect(body.flags.map(({ key, reason }: Made) => [key, reason])).toEqual([
      ['shown', 'SPLIT'],
      ...others.map(({ api_name }) => [api_name, 'SPLIT']),
      ['outside', 'DEFAULT'],
      ['premium', 'DEFAULT'],
    ]);
    expect((await all('')).body.flags.map(({ reason }: Made) => reason)).not.toContain('DEFAULT');
  });

  it('records the device of the context', async () => {
    const context = { ...VISITOR, deviceType: 'mobile' };
    await site.post(`${ALL_FLAGS}/shown?record=true`, { context });
    expect(await storedOf()).toMatchObject([{ visitor_id: 'visitor', device: 1 }]);
  });

  it('does not record disabled flags', async () => {
    await site.make.move(shown, 'pause');
    const { status, body } = await one('?record=1&values=always');
    expect([status, body.reason, body.metadata.recorded]).toEqual([200, 'DISABLED', undefined]);
    expect(await storedOf()).toEqual([]);
  });

  it('rejects a request that would record all flags at once', async () => {
    const answer = await all('?record=1');
    const errorDetails =
      'The record parameter requires a single flag: with all flags at once, the visitor would count in every experiment.';
    expect([answer.status, answer.body]).toEqual([
      400,
      { message: errorDetails, code: 'GENERAL', errorCode: 'GENERAL', errorDetails },
    ]);
    expect(protocolProblem(ALL_FLAGS, answer)).toBeNull();
  });

  it.each([
    ['values=never', 'The values parameter must be "always".'],
    ['values=', 'The values parameter must be "always".'],
    ['values=always&values=always', 'The values parameter must be "always".'],
    ['record=2', 'The record parameter must be 1, true, 0 or false.'],
  ])('rejects %s', async (query, errorDetails) => {
    const refusal = { message: errorDetails, code: 'GENERAL', errorCode: 'GENERAL', errorDetails };
    const [single, bulk] = [await one(`?${query}`), await all(`?${query}`)];
    expect([single.status, single.body]).toEqual([400, { ...refusal, key: 'shown' }]);
    expect([bulk.status, bulk.body]).toEqual([400, refusal]);
    expect([protocolProblem(ONE_FLAG, single), protocolProblem(ALL_FLAGS, bulk)]).toEqual([null, null]);
  });

  it('allows tracing headers in requests from pages', async () => {
    for (const path of [ALL_FLAGS, `${ALL_FLAGS}/shown`]) {
      const answer = await fetch(`${address}${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
      });
      const allowed = answer.headers.get('access-control-allow-headers')!.split(', ');
      expect(allowed).toEqual(
        expect.arrayContaining(['traceparent', 'tracestate', 'baggage', 'if-none-match', 'x-api-key']),
      );
    }
  });
});
