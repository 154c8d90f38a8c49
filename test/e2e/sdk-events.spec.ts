import { newSite, running, Site } from '../support/delivery';
import { exposure, send, storedEvents, StoredRow } from '../support/events';
import { ignoredLinks } from '../support/linked-visitors';
import { recentOf } from '../support/recent-events';
import { Made, useScene } from '../support/scene';

/* POST /track: events in the format of the GrowthBook SDKs' tracking plugin. */

const scene = useScene();
let site: Site;
let experiment: Made;

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

beforeEach(async () => {
  site = await newSite(scene);
  experiment = await running(site);
});

const event = (event_name: unknown, properties_json: unknown = {}, fields: object = {}) => ({
  event_name,
  properties_json,
  sdk_language: 'js',
  sdk_version: '1.8.0',
  url: 'https://shop.example/',
  context_json: {},
  user_id: null,
  device_id: 'visitor',
  page_id: null,
  session_id: null,
  ...fields,
});

const viewed = (hashValue: unknown, fields: object = {}) =>
  event('Experiment Viewed', {
    experimentId: `exp-${experiment.id}`,
    variationId: String(experiment.variations[1].id),
    hashAttribute: 'id',
    hashValue,
    ...fields,
  });

const track = (events: unknown, headers: Record<string, string> = {}) =>
  scene.api
    .as(null)
    .post(`//track?strict=1&client_key=${site.key}`, events, { 'content-type': 'text/plain', ...headers });

const storedOf = async (visitor: string): Promise<StoredRow[]> => {
  const goals: { id: number }[] = await scene.api.database.read.query(
    'SELECT id FROM goals WHERE project_id = ?',
    [site.projectId],
  );
  return (await storedEvents(scene.api)).filter(
    ({ visitor_id, experiment_id, goal_id }) =>
      visitor_id === visitor && (experiment_id === experiment.id || goals.some(({ id }) => id === goal_id)),
  );
};

it('POST /track accepts a list of events, or one event', async () => {
  for (const events of [[viewed('a'), viewed('b')], viewed('c')]) {
    const answer = await track(events);
    const accepted = [events].flat().length;
    expect([answer.status, answer.body]).toEqual([200, { success: true, accepted, rejected: 0, errors: [] }]);
  }
  const plain = await scene.api.as(null).post(`//track?client_key=${site.key}`, []);
  expect([plain.status, plain.body]).toEqual([200, { success: true, accepted: 0, rejected: 0 }]);
});

it('POST /track stores an exposure of the hashed visitor once, even if it was already decided or collected', async () => {
  const { body } = await site.post('/v1/decide', {
    user: { id: 'hashed', bucketing: { [experiment.id]: experiment.variations[1].id } },
  });
  expect(body.experiments[0].reason).toBe('kept');
  await track([viewed('hashed'), viewed('hashed')], { 'user-agent': IPHONE });
  await track([viewed('hashed'), viewed('fresh')], { 'user-agent': IPHONE });
  const row = { experiment_id: experiment.id, variation_id: experiment.variations[1].id, goal_id: null };
  expect(await storedOf('hashed')).toEqual([expect.objectContaining({ ...row, device: 3 })]);
  expect(await storedOf('fresh')).toEqual([expect.objectContaining({ ...row, device: 1 })]);
  expect(await storedOf('visitor')).toEqual([]);
});

it.each(['one-id', 5])('POST /track links no ids if the device id is the hashed id %s', async (id) => {
  const before = await ignoredLinks(scene, 'same_id');
  const answer = await track([
    { ...viewed(id), device_id: String(id) },
    { ...viewed('user'), device_id: id },
  ]);
  expect(answer.body).toMatchObject({ accepted: 2, rejected: 0 });
  expect(await recentOf(scene, site)).toMatchObject([
    { outcome: 'accepted', reason: null },
    { outcome: 'accepted', reason: null },
  ]);
  expect(await ignoredLinks(scene, 'same_id')).toBe(before);
  const links = 'SELECT visitor_id FROM linked_visitors WHERE project_id = ?';
  expect(await scene.api.database.read.query(links, [site.projectId])).toHaveLength(1);
});

it('POST /track accepts every way to name an experiment and a variation', async () => {
  const { id, api_name } = experiment;
  const [, { id: variation, api_name: name }] = experiment.variations as Made[];
  const exposures = [
    { experimentId: `exp-${id}`, variationId: String(variation) },
    { experimentId: id, variationId: variation },
    { experimentId: String(id), variationId: name },
    { experimentId: api_name, variationId: variation },
    { experiment_id: `exp-${id}`, variation_id: name },
    { experiment_id: api_name, variation_id: String(variation) },
  ];
  const answer = await track(
    exposures.map((each, index) => event('Experiment Viewed', { ...each, hashValue: `named-${index}` })),
  );
  expect(answer.body).toEqual({ success: true, accepted: 6, rejected: 0, errors: [] });
  for (const index of exposures.keys()) {
    expect(await storedOf(`named-${index}`)).toMatchObject([{ experiment_id: id, variation_id: variation }]);
  }
});

it('POST /track stores conversions by name and by page, for the device or the user', async () => {
  const page = await site.make.page({ conditions: [{ match: 'simple', value: '/cart' }] });
  const view = await site.make.goal({ name: 'View', type: 'pageview', page_id: page.id });
  const sale = await site.make.goal({ name: 'Sale', value_type: 'revenue' });
  const answer = await track([
    event('sale', { value: 12.5 }),
    event('sale', { value: 12.5 }),
    event('Page View', {}, { url: 'https://shop.example/cart?x=1' }),
    event('page_view', {}, { url: 'https://shop.example/cart', device_id: null, user_id: 'member' }),
    event('Feature Evaluated', { feature: 'x' }),
  ]);
  expect(answer.body).toEqual({ success: true, accepted: 5, rejected: 0, errors: [] });
  const summary = (await storedOf('visitor')).map(({ goal_id, value }) => [goal_id, value]);
  expect(summary.sort()).toEqual(
    [
      [sale.id, 125_000],
      [sale.id, 125_000],
      [view.id, null],
    ].sort(),
  );
  expect((await storedOf('member')).map(({ goal_id }) => goal_id)).toEqual([view.id]);
});

it('POST /track rejects invalid events, with their indexes', async () => {
  const foreign = await scene.other.make.withStatus('running');
  const answer = await track([
    event('Feature Evaluated'),
    'text',
    event('Feature Evaluated'),
    null,
    5,
    [],
    {},
    event(7),
    event('unknown'),
    event('Page View', {}, { url: '/cart' }),
    event('Page View', {}, { url: 5 }),
    viewed(null),
    viewed(7),
    viewed('v', { experimentId: experiment.id + 1_000_000 }),
    viewed('v', { experimentId: `exp-${foreign.id}` }),
    viewed('v', { variationId: 'x' }),
    viewed('v', { variationId: {} }),
    event('Experiment Viewed', null),
    event('Experiment Viewed', 'x'),
    event('unknown', null, { device_id: null }),
    event('unknown', [], { device_id: { x: 1 } }),
    viewed('\ud800'),
    viewed('good'),
  ]);
  const reasons = Object.fromEntries(answer.body.errors.map(({ index, reason }: Made) => [index, reason]));
  expect([answer.status, answer.body.accepted, reasons]).toEqual([
    200,
    4,
    {
      1: 'invalid_message',
      3: 'invalid_message',
      4: 'invalid_message',
      5: 'invalid_message',
      6: 'invalid_visitor',
      7: 'invalid_message',
      8: 'unknown_event',
      9: 'invalid_url',
      10: 'invalid_message',
      11: 'invalid_visitor',
      13: 'unknown_experiment',
      14: 'unknown_experiment',
      15: 'unknown_variation',
      16: 'invalid_message',
      17: 'invalid_visitor',
      18: 'invalid_visitor',
      19: 'invalid_visitor',
      20: 'invalid_message',
      21: 'invalid_visitor',
    },
  ]);
});

it.each(['5', 'null', '"x"', 'true'])('POST /track rejects %s, which contains no events', async (body) => {
  const answer = await track(body);
  expect([answer.status, answer.body]).toEqual([
    400,
    { message: 'The body must be a list of events, or one event.', code: 'BODY_MALFORMED' },
  ]);
});

it('POST /track rejects invalid JSON', async () => {
  expect([(await track('[')).status, (await track('')).status]).toEqual([400, 400]);
});

it('POST /track does not accept messages in the format of /v1/batch', async () => {
  const message = exposure('v', experiment.id, experiment.variations[0].id as number);
  expect((await track([message])).body.errors).toMatchObject([{ reason: 'invalid_visitor' }]);
  expect((await send(scene.api, site.key, [viewed('v')])).body.errors).toMatchObject([
    { reason: 'invalid_message' },
  ]);
});
