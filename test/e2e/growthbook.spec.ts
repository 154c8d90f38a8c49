import { GrowthBook } from '@growthbook/growthbook';
import { growthbookTrackingPlugin } from '@growthbook/growthbook/plugins';
import { GrowthBookProvider, useFeatureValue } from '@growthbook/growthbook-react';
import { GrowthbookClientProvider } from '@openfeature/growthbook-client-provider';
import { OpenFeature } from '@openfeature/web-sdk';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { nameOf, newSite, running, Site } from '../support/delivery';
import { attributeAll, storedEvents } from '../support/events';
import { errorsOf, Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';
import { eventually } from '../support/waiting';

/* GrowthBook's libraries with default options record participants only for experiments that are shown. */

const scene = useScene();
let address: string;
let site: Site;
let experiments: Made[];

beforeAll(async () => {
  address = await listening(scene.api.app);
});

beforeEach(async () => {
  site = await newSite(scene);
  experiments = [
    await running(site, 2, { css: '.a{color:red}' }),
    await running(site, 3, { js: 'document.title = "b";' }),
    await running(site, 2, { js: 'gosset.getTools().waitForElement(".c");', css: '.c{color:red}' }),
    await running(site, 2),
  ];
});

const featureOf = ({ api_name }: Made): string => api_name as string;

const optionsFor = (id: string) => ({
  apiHost: address,
  clientKey: site.key,
  attributes: { id },
  url: 'https://shop.example/',
  plugins: [growthbookTrackingPlugin({ ingestorHost: address, queueFlushInterval: 1 })],
});

/** The number of participants in the results of each experiment. 0 if it has none. */
async function participants(): Promise<number[]> {
  await attributeAll(scene.api);
  const counts: number[] = [];
  for (const { path } of experiments) {
    const info = (await scene.client.get(`${path}/results/info`)).body as Made;
    counts.push(info.participants as number);
  }
  return counts;
}

async function decidedFor(experiment: Made, id: string): Promise<string> {
  const { user } = (await site.post('/v1/decide', { user: { id }, record: false })).body;
  return nameOf(experiment, user.bucketing[experiment.id] as number);
}

/** Waits until `count` exposures are stored, because the plugin does not report when it has sent them. */
async function recorded(count: number): Promise<void> {
  const isRecorded = async (): Promise<boolean> =>
    (await storedEvents(scene.api)).filter(({ experiment_id }) =>
      experiments.some(({ id }) => id === experiment_id),
    ).length >= count;
  await eventually(isRecorded);
}

/** Requests that the SDK has started. The plugin gives no other access to them. */
const requests: Promise<Response>[] = [];

beforeEach(() => {
  requests.length = 0;
  const { fetch } = globalThis;
  jest.spyOn(globalThis, 'fetch').mockImplementation((...given) => {
    const response = fetch(...given);
    requests.push(response);
    return response;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** Sends a page view, which follows all recorded events, and waits until the server has received it. */
async function flushed(sdk: GrowthBook): Promise<void> {
  const before = requests.length;
  await sdk.logEvent('Page View');
  expect(requests.length).toBeGreaterThan(before);
  await Promise.all(requests);
  sdk.destroy();
}

it.each([false, true])(
  'reading a feature makes the visitor a participant only in its experiment (remoteEval: %s)',
  async (remoteEval) => {
    const sdk = new GrowthBook({ ...optionsFor('reader'), remoteEval });
    expect(await sdk.init({ timeout: 60_000 })).toMatchObject({ success: true, source: 'network' });
    expect(sdk.getFeatureValue(featureOf(experiments[1]), 'default')).toBe(
      await decidedFor(experiments[1], 'reader'),
    );
    await flushed(sdk);
    expect(await participants()).toEqual([0, 1, 0, 0]);
  },
);

it.each([false, true])('loading the payload records nothing (remoteEval: %s)', async (remoteEval) => {
  const sdk = new GrowthBook({ ...optionsFor('loader'), remoteEval });
  expect(await sdk.init({ timeout: 60_000 })).toMatchObject({ success: true, source: 'network' });
  expect(Object.keys(sdk.getFeatures())).toHaveLength(4);
  await flushed(sdk);
  expect(await participants()).toEqual([0, 0, 0, 0]);
});

it('remote evaluation gives every feature the exposure of its own experiment only', async () => {
  const { body } = await site.post(`/api/eval/${site.key}`, { attributes: { id: 'v' } });
  const tracked = experiments.map((each) =>
    body.features[featureOf(each)].rules[0].tracks.map(({ experiment }: Made) => experiment.key),
  );
  expect(tracked).toEqual(experiments.map(({ id }) => [`exp-${id}`]));
});

it('a forced variation is not recorded as an exposure', async () => {
  const [experiment] = experiments;
  const sdk = new GrowthBook({ ...optionsFor('forced'), remoteEval: true });
  await sdk.setForcedVariations({ [`exp-${experiment.id}`]: 1 });
  await sdk.init({ timeout: 60_000 });
  expect(sdk.getFeatureValue(featureOf(experiment), 'default')).toBe(experiment.variations[1].api_name);
  await flushed(sdk);
  expect(await participants()).toEqual([0, 0, 0, 0]);
});

describe('the payload', () => {
  const payload = async (query = ''): Promise<Made> =>
    (await scene.api.as(null).get(`//api/features/${site.key}${query}`)).body as Made;
  const keysIn = ({ experiments: given }: Made): string[] => given.map(({ key }: Made) => key as string);

  it('omits experiments that change pages unless the request asks for them', async () => {
    const runnable = [experiments[0], experiments[1], experiments[3]].map(({ id }) => `exp-${id}`);
    for (const query of ['', '?experiments=0', '?experiments=false']) {
      expect((await payload(query)).experiments).toEqual([]);
    }
    for (const query of ['?experiments=1', '?experiments=true&environment=production']) {
      const given = await payload(query);
      expect(Object.keys(given.features)).toEqual(experiments.map(featureOf));
      expect(keysIn(given)).toEqual(runnable);
      expect(JSON.stringify(given)).not.toContain('gosset');
    }
    const remote = async (query: string): Promise<Made> =>
      (await site.post(`/api/eval/${site.key}${query}`, { attributes: { id: 'v' } })).body;
    expect(keysIn(await remote(''))).toEqual([]);
    expect((await remote('?experiments=1')).experiments).toHaveLength(3);
  });

  it('rejects invalid values of the experiments parameter', async () => {
    const message = { experiments: ['The experiments parameter must be 1, true, 0 or false.'] };
    for (const value of ['', '2', 'yes', '1&experiments=1']) {
      const answer = await scene.api.as(null).get(`//api/features/${site.key}?experiments=${value}`);
      expect([value, answer.status, errorsOf(answer)]).toEqual([value, 422, message]);
    }
  });

  it('has different ETags with and without experiments', async () => {
    const tags = await Promise.all(
      ['', '?experiments=1'].map(
        async (query) => (await scene.api.as(null).get(`//api/features/${site.key}${query}`)).headers.etag,
      ),
    );
    expect(new Set(tags).size).toBe(2);
  });
});

it('@growthbook/growthbook-react shows the variation and records only its experiment', async () => {
  const growthbook = new GrowthBook(optionsFor('react'));
  await growthbook.init({ timeout: 60_000 });
  const Shown = () => createElement('p', null, useFeatureValue(featureOf(experiments[1]), 'default'));
  const html = renderToString(
    createElement(GrowthBookProvider, { growthbook, children: createElement(Shown) }),
  );
  expect(html).toBe(`<p>${await decidedFor(experiments[1], 'react')}</p>`);
  await flushed(growthbook);
  expect(await participants()).toEqual([0, 1, 0, 0]);
});

it('@openfeature/growthbook-client-provider shows the variation and records only its experiment', async () => {
  await OpenFeature.setContext({ id: 'open' });
  const provider = new GrowthbookClientProvider(optionsFor('open'), { timeout: 60_000 });
  await OpenFeature.setProviderAndWait(provider);
  const value = OpenFeature.getClient().getStringValue(featureOf(experiments[0]), 'default');
  expect(value).toBe(await decidedFor(experiments[0], 'open'));
  await OpenFeature.close();
  await recorded(1);
  expect(await participants()).toEqual([1, 0, 0, 0]);
});
