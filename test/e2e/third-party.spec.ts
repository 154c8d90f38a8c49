import { GrowthBook, GrowthBookClient } from '@growthbook/growthbook';
import { growthbookTrackingPlugin } from '@growthbook/growthbook/plugins';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';
import { Analytics } from '@segment/analytics-node';
import { addEnvironment, nameOf, newSite, running, Site } from '../support/delivery';
import { attributeAll, storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { until } from '../support/waiting';

/* Third-party clients from npm, which use the server over HTTP. */

const scene = useScene();
let address: string;
let site: Site;
let experiment: Made;
let feature: string;
let sale: Made;

const VISITORS = ['visitor-1', 'visitor-2', 'visitor-3', 'visitor-4', 'visitor-5'];
const attributesOf = (id: string) => ({ id, plan: 'premium' });

beforeAll(async () => {
  address = await listening(scene.api.app);
});

beforeEach(async () => {
  site = await newSite(scene);
  sale = await site.make.goal({ name: 'Sale', value_type: 'revenue' });
  const audience = await site.make.audience({
    conditions: { type: 'attribute', name: 'plan', value: 'premium' },
  });
  experiment = await running(site, 3, { audiences: [audience.id], goals: [sale.id] });
  feature = experiment.api_name as string;
});

async function decidedFor(id: string): Promise<string> {
  const body = { user: { id, attributes: attributesOf(id) }, record: false };
  const { user } = (await site.post('/v1/decide', body)).body;
  return nameOf(experiment, user.bucketing[experiment.id] as number);
}

async function exposuresOf(visitor: string): Promise<[number | null, string][]> {
  const rows = await storedEvents(scene.api);
  return rows
    .filter((row) => row.visitor_id === visitor && row.experiment_id === experiment.id)
    .map(({ experiment_id, variation_id }) => [experiment_id, nameOf(experiment, variation_id!)]);
}

describe('@growthbook/growthbook', () => {
  it('reads the payload on a server, and makes the same decisions as Gosset', async () => {
    const client = new GrowthBookClient({ apiHost: address, clientKey: site.key });
    const { success, source } = await client.init({ timeout: 60_000 });
    expect([success, source]).toEqual([true, 'network']);
    for (const id of VISITORS) {
      const value = client.getFeatureValue(feature, 'default', { attributes: attributesOf(id) });
      expect([id, value]).toEqual([id, await decidedFor(id)]);
      expect(client.getFeatureValue(feature, 'default', { attributes: { id } })).toBe('default');
    }
    client.destroy();
  });

  it('reads the payload of an environment by URL', async () => {
    const staging = await addEnvironment(scene, site, 'Staging');
    await running(site, 2, { api_name: 'there', environments: [staging] });
    const answer = await fetch(`${address}/api/features/${site.key}?environment=staging`);
    const sdk = new GrowthBook({ attributes: { id: 'v', plan: 'premium' } });
    await sdk.setPayload((await answer.json()) as object);
    expect(Object.keys(sdk.getFeatures())).toEqual(['there']);
    expect(sdk.evalFeature('there').source).toBe('experiment');
  });

  it('supports remote evaluation', async () => {
    for (const id of VISITORS) {
      const sdk = new GrowthBook({
        apiHost: address,
        clientKey: site.key,
        remoteEval: true,
        attributes: attributesOf(id),
      });
      const { success } = await sdk.init({ timeout: 60_000 });
      expect([success, sdk.getFeatureValue(feature, 'default')]).toEqual([true, await decidedFor(id)]);
      expect(JSON.stringify(sdk.getFeatures())).not.toContain('premium');
      sdk.destroy();
    }
  });

  it('reports exposures and events with its tracking plugin', async () => {
    const sdk = new GrowthBook({
      apiHost: address,
      clientKey: site.key,
      attributes: attributesOf('tracked'),
      url: 'https://shop.example/',
      plugins: [growthbookTrackingPlugin({ ingestorHost: address, queueFlushInterval: 10 })],
    });
    await sdk.init({ timeout: 60_000 });
    const value = sdk.getFeatureValue(feature, 'default');
    sdk.getFeatureValue(feature, 'default');
    await sdk.logEvent('sale', { value: 49.9 });
    sdk.destroy();
    expect(await exposuresOf('tracked')).toEqual([[experiment.id, value]]);
    await attributeAll(scene.api);
    const [{ variationStatistics }] = (await scene.client.get(`${experiment.path}/results`)).body;
    const total = Object.values<Made>(variationStatistics).map(({ totalValue }) => totalValue as number);
    expect(total.reduce((sum, each) => sum + each, 0)).toBe(49.9);
  });

  it('reports many visitors together, from a server', async () => {
    const client = new GrowthBookClient({
      apiHost: address,
      clientKey: site.key,
      plugins: [growthbookTrackingPlugin({ ingestorHost: address, queueFlushInterval: 10 })],
    });
    await client.init({ timeout: 60_000 });
    const values = new Map<string, string>();
    for (const id of VISITORS) {
      values.set(id, client.getFeatureValue(feature, 'default', { attributes: attributesOf(id) }));
    }
    client.destroy();
    // The plugin does not report when it has sent its events.
    await until(async () => (await exposuresOf(VISITORS[4])).length > 0);
    for (const id of VISITORS) {
      expect(await exposuresOf(id)).toEqual([[experiment.id, values.get(id)]]);
    }
  });
});

describe('@openfeature/ofrep-web-provider', () => {
  afterEach(() => OpenFeature.close());

  const provider = (key: string) =>
    new OFREPWebProvider({
      baseUrl: address,
      headers: [['X-API-Key', key]],
      pollInterval: -1,
      cacheMode: 'disabled',
    });

  it('returns the same variation as decide for each visitor', async () => {
    await OpenFeature.setContext({ targetingKey: VISITORS[0], plan: 'premium' });
    await OpenFeature.setProviderAndWait(provider(site.key));
    const client = OpenFeature.getClient();
    for (const id of VISITORS) {
      await OpenFeature.setContext({ targetingKey: id, plan: 'premium' });
      const details = client.getStringDetails(feature, 'default');
      expect(details).toMatchObject({ value: await decidedFor(id), reason: 'SPLIT', variant: details.value });
      expect(details.flagMetadata).toMatchObject({ experiment_id: experiment.id, revision: 1 });
    }
  });

  it('falls back to the default value if there is no variation', async () => {
    await OpenFeature.setContext({ targetingKey: 'v' });
    await OpenFeature.setProviderAndWait(provider(site.key));
    const client = OpenFeature.getClient();
    expect(client.getStringDetails(feature, 'default')).toMatchObject({
      value: 'default',
      reason: 'UNKNOWN',
      flagMetadata: { excluded_by: 'audience' },
    });
    await site.make.move(experiment, 'pause');
    await OpenFeature.setContext({ targetingKey: 'v', again: true });
    expect(client.getStringDetails(feature, 'default')).toMatchObject({
      value: 'default',
      reason: 'DISABLED',
    });
    expect(client.getStringDetails('nothing', 'default')).toMatchObject({
      value: 'default',
      errorCode: 'FLAG_NOT_FOUND',
    });
  });

  it('handles 304 responses', async () => {
    const statuses: number[] = [];
    const watched = new OFREPWebProvider({
      baseUrl: address,
      headers: [['Authorization', `Bearer ${site.key}`]],
      pollInterval: -1,
      cacheMode: 'disabled',
      fetchImplementation: async (...request) => {
        const answer = await fetch(...request);
        statuses.push(answer.status);
        return answer;
      },
    });
    await OpenFeature.setContext({ targetingKey: 'v', plan: 'premium' });
    await OpenFeature.setProviderAndWait(watched);
    await OpenFeature.setContext({ targetingKey: 'v', plan: 'premium', unasked: 1 });
    await OpenFeature.setContext({ targetingKey: 'v' });
    expect(statuses).toEqual([200, 304, 200]);
  });

  it.each<[string, Record<string, string>]>([
    ['no targetingKey', {}],
    ['an invalid targetingKey', { targetingKey: 'Zoë' }],
  ])('understands the error response for %s', async (_, context) => {
    await OpenFeature.setContext(context);
    await expect(OpenFeature.setProviderAndWait(provider(site.key))).rejects.toThrow(
      'Failed OFREP bulk evaluation request, status: 400',
    );
  });

  it('does not retry with an unknown key', async () => {
    await OpenFeature.setContext({ targetingKey: 'v' });
    await expect(OpenFeature.setProviderAndWait(provider('pk_nobody'))).rejects.toMatchObject({
      code: 'PROVIDER_FATAL',
    });
  });
});

describe('@segment/analytics-node', () => {
  it('collects exposures, conversions and page views', async () => {
    const page = await site.make.page({ conditions: [{ match: 'simple', value: '/cart' }] });
    const view = await site.make.goal({ name: 'View', type: 'pageview', page_id: page.id });
    const analytics = new Analytics({ writeKey: site.key, host: address, flushAt: 10 });
    const failures: unknown[] = [];
    analytics.on('error', (error) => failures.push(error));
    const anonymousId = 'segment-visitor';
    const properties = { experiment_id: experiment.id, variation_id: experiment.variations[2].id };
    analytics.track({ anonymousId, event: 'Experiment Viewed', properties });
    analytics.track({ anonymousId, event: sale.api_name as string, properties: { value: 12.5 } });
    analytics.page({ anonymousId, properties: { url: 'https://shop.example/cart' } });
    await analytics.closeAndFlush();
    expect(failures).toEqual([]);
    const rows = (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === anonymousId);
    const summary = rows.map(({ variation_id, goal_id, value }) => ({ variation_id, goal_id, value }));
    expect(summary).toHaveLength(3);
    expect(summary).toEqual(
      expect.arrayContaining([
        { variation_id: experiment.variations[2].id, goal_id: null, value: null },
        { variation_id: null, goal_id: sale.id, value: 125_000 },
        { variation_id: null, goal_id: view.id, value: null },
      ]),
    );
  });
});
