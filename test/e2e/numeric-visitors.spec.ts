import { GrowthBook } from '@growthbook/growthbook';
import { growthbookTrackingPlugin } from '@growthbook/growthbook/plugins';
import { newSite, nameOf, running, Site } from '../support/delivery';
import { attributeAll, storedEvents } from '../support/events';
import { Made, useScene } from '../support/scene';
import { listening } from '../support/web-server';

/* Numeric ids, such as database ids, identify the same visitor or message as their digits on all routes. */

const scene = useScene();
let site: Site;
let experiment: Made;
let goal: Made;
let feature: string;
let address: string;

beforeAll(async () => {
  address = await listening(scene.api.app);
});

beforeEach(async () => {
  site = await newSite(scene);
  goal = await site.make.goal({ name: 'Sale', value_type: 'revenue' });
  experiment = await running(site, 3, { goals: [goal.id] });
  feature = experiment.api_name as string;
});

/** Numeric ids without 0, because the SDK treats 0 as a missing id. */
const IDS = [4711, 1, -7, Number.MAX_SAFE_INTEGER];

const decided = async (id: unknown): Promise<Made> =>
  (await site.post('/v1/decide', { user: { id }, record: false })).body as Made;

const variationOf = async (id: unknown): Promise<string> =>
  nameOf(experiment, (await decided(id)).user.bucketing[experiment.id] as number);

it.each(IDS)('%d gets the same variation as its digits in every decision', async (id) => {
  const expected = await variationOf(String(id));
  expect((await decided(id)).user.id).toBe(String(id));
  const flag = await site.post(`/ofrep/v1/evaluate/flags/${feature}`, { context: { targetingKey: id } });
  const remote = await site.post(`/api/eval/${site.key}`, { attributes: { id } });
  const payload = (await scene.api.as(null).get(`//api/features/${site.key}`)).body;
  const sdk = new GrowthBook({ attributes: { id } }).initSync({ payload });
  expect([
    await variationOf(id),
    flag.body.value,
    remote.body.features[feature].defaultValue,
    sdk.getFeatureValue(feature, 'default'),
  ]).toEqual(Array(4).fill(expected));
});

it('a numeric id is one participant on all routes', async () => {
  const id = 4711;
  const { bucketing } = (await site.post('/v1/decide', { user: { id } })).body.user as Made;
  const properties = { experiment_id: experiment.id, variation_id: bucketing[experiment.id] };
  const batch = await site.post('/v1/batch?strict=1', {
    batch: [
      { type: 'track', event: 'Experiment Viewed', userId: id, properties },
      { type: 'track', event: 'sale', anonymousId: id, properties: { value: 1 } },
    ],
  });
  const converted = await site.post('/v1/track', { user: { id }, events: [{ id: goal.id, value: 2 }] });
  const plugin = await site.post('/track?strict=1', [
    { event_name: 'sale', properties_json: { value: 4 }, device_id: id },
    { event_name: 'sale', properties_json: { value: 8 }, user_id: id },
  ]);
  expect([batch.body.rejected, converted.status, plugin.body.rejected]).toEqual([0, 204, 0]);
  await attributeAll(scene.api);
  const [{ variationStatistics }] = (await scene.client.get(`${experiment.path}/results`)).body;
  const figures = Object.values<Made>(variationStatistics);
  const sum = (name: string): number => figures.reduce((total, each) => total + (each[name] as number), 0);
  expect([sum('participants'), sum('conversions'), sum('totalValue')]).toEqual([1, 1, 15]);
});

it.each([false, true])(
  'a numeric id becomes a participant through the tracking plugin (remoteEval: %s)',
  async (remoteEval) => {
    const sdk = new GrowthBook({
      apiHost: address,
      clientKey: site.key,
      remoteEval,
      attributes: { id: 815 },
      plugins: [growthbookTrackingPlugin({ ingestorHost: address, queueFlushInterval: 1 })],
    });
    await sdk.init({ timeout: 60_000 });
    const value = sdk.getFeatureValue(feature, 'default');
    await sdk.logEvent('Page View');
    sdk.destroy();
    const shown = (await storedEvents(scene.api)).filter(
      ({ experiment_id }) => experiment_id === experiment.id,
    );
    expect(
      shown.map(({ visitor_id, variation_id }) => [visitor_id, nameOf(experiment, variation_id!)]),
    ).toEqual([['815', value]]);
  },
);

it('the numeric id of a rejected message is returned as its digits', async () => {
  const batch = [77, 'seven', null].map((messageId) => ({
    type: 'track',
    event: 'unknown',
    anonymousId: 1,
    messageId,
  }));
  const { errors } = (await site.post('/v1/batch?strict=1', { batch })).body as Made;
  expect((errors as Made[]).map(({ messageId }) => messageId as unknown)).toEqual(['77', 'seven', null]);
});
