import { randomUUID } from 'node:crypto';
import { Made, useScene } from '../support/scene';
import { attributeAll, conversion, exposure, message, send, storedEvents } from '../support/events';

/* Events whose unused fields have a wrong type. */

const scene = useScene();
let key: string;
let experiment: Made;
let sale: Made;
let view: Made;
let visitor: string;

beforeAll(async () => {
  key = (await scene.client.get(scene.project)).body.client_key as string;
  const page = await scene.make.page({ conditions: [{ match: 'simple', value: '/cart' }] });
  sale = await scene.make.goal({ name: 'Sale', value_type: 'revenue' });
  view = await scene.make.goal({ name: 'View', type: 'pageview', page_id: page.id });
  experiment = await scene.make.withStatus('running', { goals: [sale.id, view.id] });
});

beforeEach(() => {
  visitor = randomUUID();
});

const url = 'https://shop.example/cart';
const shown = (fields: object = {}) =>
  exposure(visitor, experiment.id, experiment.variations[1].id as number, { ...fields });

const reasonOf = async (sent: unknown): Promise<string> =>
  (await send(scene.api, key, [sent])).body.errors[0]?.reason ?? 'accepted';

const stored = async () => (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor);

const UNUSED_CONTEXT = [
  [],
  ['x'],
  'x',
  5,
  { page: '/cart' },
  { page: { url: 5 } },
  { device: 'iPhone' },
  { device: { type: 5 } },
  { library: 'x' },
  { library: { name: ['gosset.js'] } },
  { userAgent: { x: 1 } },
  { device: [], library: 1, page: true, userAgent: 5 },
];

it.each([
  [[]],
  [{ phase: true }],
  [{ phase: 1.5 }],
  [{ url: 5 }],
  [{ variation_id: 12.5, experimentId: {} }],
])('a conversion counts with the unused properties %j', async (properties) => {
  expect(await reasonOf(message(visitor, { event: 'sale', properties }))).toBe('accepted');
  expect(await stored()).toMatchObject([{ goal_id: sale.id, value: null }]);
});

it('a conversion keeps its value despite invalid unused properties', async () => {
  const properties = { value: 7, phase: 'x', url: [], variation_id: 12.5 };
  expect(
    (await send(scene.api, key, [shown(), message(visitor, { event: 'sale', properties })])).body,
  ).toMatchObject({ accepted: 2 });
  await attributeAll(scene.api);
  const { body } = await scene.client.get(`${experiment.path}/results`);
  const [, { totalValue }] = Object.values<Made>((body as Made[])[0].variationStatistics);
  expect(totalValue).toBe(7);
});

it.each(UNUSED_CONTEXT)('each event counts with the unused context %j', async (context) => {
  const events = [
    shown({ context }),
    conversion(visitor, 'sale', 5, { context }),
    message(visitor, { type: 'page', properties: { url, phase: true }, context }),
  ];
  expect((await send(scene.api, key, events)).body).toMatchObject({ accepted: 3, errors: [] });
  expect(await stored()).toHaveLength(3);
});

it('a page view takes the URL from the context if the properties are an empty list', async () => {
  const sent = message(visitor, { type: 'page', properties: [], context: { page: { url }, device: 'x' } });
  expect(await reasonOf(sent)).toBe('accepted');
  expect(await stored()).toMatchObject([{ goal_id: view.id }]);
});

it('an event from a bot is still recognised despite invalid unused fields', async () => {
  const context = { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)', page: '/cart', device: 1 };
  expect(await reasonOf(conversion(visitor, 'sale', 5, { context }))).toBe('bot');
});

it('used fields must have the documented type', async () => {
  const { id, variations } = experiment;
  const ids = { experiment_id: id, variation_id: variations[1].id as number };
  const wrong = [
    shown({ properties: { ...ids, variation_id: 12.5 } }),
    shown({ properties: { ...ids, phase: true } }),
    message(visitor, { type: 'page', properties: { url: 5 } }),
    message(visitor, { event: 'sale', properties: ['x'] }),
    message(visitor, { event: 5 }),
  ];
  for (const sent of wrong) {
    expect(await reasonOf(sent)).toBe('invalid_message');
  }
  expect(await reasonOf(shown({ properties: [] }))).toBe('unknown_experiment');
  expect(await stored()).toEqual([]);
});
