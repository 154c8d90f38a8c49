import { newSite, running, Site } from '../support/delivery';
import { exposure, storedEvents } from '../support/events';
import { ONE_FLAG } from '../support/ofrep';
import { errorsOf, Made, useScene } from '../support/scene';

/* Bots on every route that records exposures or conversions. */

const scene = useScene();
let site: Site;
let experiment: Made;
let goal: Made;

const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const BACK_END = 'python-requests/2.31.0';
const PAGE = { origin: 'https://shop.example.com' };

beforeAll(async () => {
  site = await newSite(scene);
  goal = await site.make.goal({ name: 'Sale' });
  experiment = await running(site, 2, { goals: [goal.id] });
});

type Headers = Record<string, string>;

/** How each route reports that it has stored something. @param agent the visitor's user agent, in the body */
const ROUTES: Record<string, (visitor: string, headers: Headers, agent?: string) => Promise<boolean>> = {
  decide: async (id, headers, userAgent) => {
    const { body } = await site.post('/v1/decide', { user: { id, device: { userAgent } } }, headers);
    expect(body.experiments).toMatchObject([{ reason: 'assigned' }]);
    return body.recorded;
  },
  flag: async (targetingKey, headers, userAgent) => {
    const path = `${ONE_FLAG.replace('{key}', experiment.api_name as string)}?record=1`;
    const { body } = await site.post(path, { context: { targetingKey, userAgent } }, headers);
    expect(body.reason).toBe('SPLIT');
    return body.metadata.recorded;
  },
  track: async (id, headers, userAgent) => {
    const body = { user: { id, device: { userAgent } }, events: [{ id: goal.id }] };
    const answer = await site.post('/v1/track', body, headers);
    if (answer.status === 422) {
      expect(errorsOf(answer)).toEqual({ 'events.0': ['The user agent belongs to a bot.'] });
    }
    return answer.status === 204;
  },
  batch: async (visitor, headers, userAgent) => {
    const [, { id }] = experiment.variations as Made[];
    const batch = [exposure(visitor, experiment.id, id, { context: { userAgent } })];
    const { body } = await site.post('/v1/batch?strict=1', { batch }, headers);
    return body.errors[0]?.reason !== 'bot';
  },
};

/** The plugin of the GrowthBook SDKs, whose events contain no user agent. */
const plugin = async (hashValue: string, headers: Headers): Promise<boolean> => {
  const [, { id }] = experiment.variations as Made[];
  const viewed = { experimentId: `exp-${experiment.id}`, variationId: String(id), hashValue };
  const { body } = await site.post(
    '/track?strict=1',
    [{ event_name: 'Experiment Viewed', properties_json: viewed, device_id: hashValue }],
    headers,
  );
  return body.errors[0]?.reason !== 'bot';
};

const stored = async (visitor: string): Promise<number> =>
  (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === visitor).length;

describe.each(Object.keys(ROUTES))('the route %s', (route) => {
  const send = async (visitor: string, headers: Headers, agent?: string) => [
    await ROUTES[route](`${route}-${visitor}`, headers, agent),
    await stored(`${route}-${visitor}`),
  ];

  it('stores nothing for a bot that the back end names', async () => {
    expect(await send('named-bot', { 'user-agent': BACK_END }, BOT)).toEqual([false, 0]);
  });

  it('stores nothing for a bot that opens a page', async () => {
    expect(await send('page-bot', { 'user-agent': BOT, ...PAGE })).toEqual([false, 0]);
    expect(await send('empty-agent-bot', { 'user-agent': BOT, ...PAGE }, '')).toEqual([false, 0]);
  });

  it('ignores the user agent of back ends', async () => {
    expect(await send('unnamed', { 'user-agent': BACK_END })).toEqual([true, 1]);
    expect(await send('named', { 'user-agent': BACK_END }, BROWSER)).toEqual([true, 1]);
  });

  it('stores the events of people who open a page', async () => {
    expect(await send('person', { 'user-agent': BROWSER, ...PAGE })).toEqual([true, 1]);
    expect(await send('named-person', { 'user-agent': BACK_END, ...PAGE }, BROWSER)).toEqual([true, 1]);
  });
});

it('GrowthBook’s plugin stores nothing for a bot that opens a page, and ignores the user agent of back ends', async () => {
  const sent = {
    'plugin-bot': { 'user-agent': BOT, ...PAGE },
    'plugin-person': { 'user-agent': BROWSER, ...PAGE },
    'plugin-back-end': { 'user-agent': BACK_END },
  };
  const results = Object.entries(sent).map(async ([visitor, headers]) => [
    await plugin(visitor, headers),
    await stored(visitor),
  ]);
  expect(await Promise.all(results)).toEqual([
    [false, 0],
    [true, 1],
    [true, 1],
  ]);
});

it('bots do not count as decisions whose exposures could not be recorded', async () => {
  const unrecorded = async (): Promise<string | undefined> => {
    const { payload } = await scene.api.app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
    return /^gosset_decisions_unrecorded_total (\d+)$/m.exec(payload)?.[1];
  };
  const before = await unrecorded();
  expect(before).toMatch(/^\d+$/);
  expect(await ROUTES.decide('metric-bot', { 'user-agent': BACK_END }, BOT)).toBe(false);
  expect(await unrecorded()).toBe(before);
});
