import { newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { send, whileLive } from '../support/hostile';
import { Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';

/* ReDoS: regular expressions that are slow in backtracking engines. */

/** O(n^10) in backtracking engines. */
const SLOW = `${'a*'.repeat(10)}b$`;
const EXPONENTIAL = '(a+)+b$';
const TEXT = 'a'.repeat(200_000);
const ADDRESS = `https://shop.example/${'a'.repeat(2_000)}`;

const scene = useScene();
let server: ServerProcess;
let site: Site;
let byAttribute: Made;
let byPage: Made;
let goal: Made;

const leaf = (name: string, value: string) => ({ type: 'attribute', name, match: 'regex', value });

beforeAll(async () => {
  site = await newSite(scene);
  const audience = await site.make.audience({
    conditions: ['or', leaf('plan', SLOW), leaf('plan', EXPONENTIAL), ['not', leaf('more.plan', '^\\w*$')]],
  });
  const page = await site.make.page({
    conditions: [
      { match: 'regex', value: SLOW },
      { match: 'regex', value: EXPONENTIAL },
      { match: 'regex', value: `${SLOW}${SLOW}`, negate: true },
    ],
  });
  goal = await site.make.goal({ name: 'Seen', type: 'pageview', page_id: page.id });
  byAttribute = await running(site, 1, {
    audiences: [audience.id],
    goals: [goal.id],
    api_name: 'by-attribute',
  });
  byPage = await running(site, 1, { pages: [page.id], goals: [goal.id], api_name: 'by-page' });
  await storeOld();
  server = await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl });
  await server.ready();
}, 120_000);

/** Stores a page and an audience as earlier releases did, which accepted all regular expression syntax of browsers. */
async function storeOld(): Promise<void> {
  const page = await site.make.page({ name: 'Old', conditions: [{ match: 'regex', value: '/old' }] });
  await site.make.goal({ name: 'Old goal', type: 'pageview', page_id: page.id });
  const audience = await site.make.audience({ name: 'Old', conditions: leaf('plan', 'old') });
  const { read } = scene.api.database;
  for (const [table, { id }] of [
    ['pages', page],
    ['audiences', audience],
  ] as const) {
    const [{ conditions }] = await read.query(`SELECT conditions FROM ${table} WHERE id = ?`, [id]);
    const old = String(conditions).replace('old', '(?!new)');
    await scene.api.database.transaction((tx) =>
      tx.query(`UPDATE ${table} SET conditions = ? WHERE id = ?`, [old, id]),
    );
  }
}

afterAll(async () => {
  server.kill('SIGKILL');
  await server.exit;
});

const auth = () => ({ authorization: `Bearer ${site.key}` });
const attributes = (plan: string) => ({ plan, more: { plan } });

interface Decided {
  id: number;
  reason: string;
}

async function reasons(plan: string, url: string): Promise<Record<number, string>> {
  const { text } = await whileLive(
    server,
    send(
      server,
      '/v1/decide',
      { user: { id: 'v', attributes: attributes(plan) }, context: { view: { url } }, record: false },
      auth(),
    ),
  );
  const { experiments } = JSON.parse(text) as { experiments: Decided[] };
  return Object.fromEntries(experiments.map(({ id, reason }) => [id, reason]));
}

it('the server still makes decisions', async () => {
  const view = (plan: string, url: string) => reasons(plan, url);
  expect((await view(TEXT, ADDRESS))[byPage.id]).toBe('page');
  expect((await view(TEXT, `${ADDRESS.slice(0, -10)}b`))[byPage.id]).toBe('assigned');
});

it('the server still evaluates flags', async () => {
  const flag = async (plan: string) => {
    const path = '/ofrep/v1/evaluate/flags/by-attribute';
    const context = { targetingKey: 'v', ...attributes(plan), url: `${ADDRESS}${TEXT.slice(0, 90_000)}` };
    const { text } = await whileLive(server, send(server, path, { context }, auth()));
    return (JSON.parse(text) as { reason: string }).reason;
  };
  expect([await flag(TEXT), await flag('aab'), await flag('a a')]).toEqual(['UNKNOWN', 'SPLIT', 'SPLIT']);
});

it('the server still supports remote evaluation, with page patterns in the response', async () => {
  const evaluate = async (plan: string, url: string) => {
    const body = { attributes: { id: 'v', ...attributes(plan) }, url };
    const { text } = await whileLive(server, send(server, `/api/eval/${site.key}?experiments=1`, body));
    const { features, experiments } = JSON.parse(text) as {
      features: Record<string, { defaultValue: string | null }>;
      experiments: { key: string; urlPatterns?: unknown[] }[];
    };
    const shown = Object.keys(features).filter((name) => features[name].defaultValue !== null);
    return [shown, experiments.map(({ key, urlPatterns }) => [key, urlPatterns?.length])];
  };
  const [attribute, page] = [`exp-${byAttribute.id}`, `exp-${byPage.id}`];
  expect(await evaluate(TEXT, ADDRESS)).toEqual([['by-page'], []]);
  expect(await evaluate('aab', `${ADDRESS}b`)).toEqual([
    ['by-attribute', 'by-page'],
    [
      [attribute, undefined],
      [page, 3],
    ],
  ]);
});

it('the server still collects events', async () => {
  const batch = Array.from({ length: 200 }, (_, index) => ({
    type: 'page',
    anonymousId: 'v',
    messageId: `m${index}`,
    properties: { url: index === 7 ? `${ADDRESS.slice(0, -10)}b` : `${ADDRESS.slice(0, -10)}${index}` },
  }));
  const { status, text } = await whileLive(server, send(server, '/v1/batch', { writeKey: site.key, batch }));
  expect([status, (JSON.parse(text) as { accepted: number }).accepted]).toEqual([200, 1]);
  const conversions = (await storedEvents(scene.api)).filter(({ goal_id }) => goal_id === goal.id);
  expect(conversions).toHaveLength(1);
});

it('the server warns at startup about stored patterns that never match, and continues', async () => {
  const warnings = server
    .logLines()
    .flatMap(({ msg }) => (String(msg).includes('"Old"') ? [String(msg)] : []));
  expect(warnings).toEqual([
    expect.stringMatching(
      /^The audience \d+ \("Old"\) of project \d+ never matches on the server: The pattern has a look-ahead at character 1,/,
    ),
    expect.stringMatching(
      /^The page \d+ \("Old"\) of project \d+ never matches on the server: The pattern has a look-ahead at character 2,/,
    ),
  ]);
  const message = {
    type: 'page',
    anonymousId: 'v',
    messageId: 'old',
    properties: { url: 'https://a.example/older' },
  };
  const { text } = await send(server, '/v1/batch', { writeKey: site.key, batch: [message] });
  expect(JSON.parse(text)).toMatchObject({ accepted: 0, rejected: 1 });
});

it('the server still validates patterns that editors send', async () => {
  const heavy = Array.from({ length: 100 }, (_, index) => ({
    match: 'regex',
    value: `(?:(?:a*b)*${index}|(?:[a-z]{1,20}x){1,30})*${'(a|b|ab)*'.repeat(50)}$`,
  }));
  const dryRuns = Array.from({ length: 30 }, () =>
    send(
      server,
      `/api/projects/${site.projectId}/pages?dry_run=1`,
      { name: 'Heavy', conditions: heavy },
      { authorization: `Bearer ${scene.world.people.admin.token}` },
    ),
  );
  const answers = await whileLive(server, Promise.all(dryRuns));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422]));
});

describe('a project whose patterns take long for some texts', () => {
  const PATTERNS = 20;
  /** Has more states than the engine caches, so each character costs as many steps as the pattern has. */
  const slow = (count: number, end: string): string => `a[ab]{${count}}${end}`;
  const text = (length: number): string =>
    Array.from({ length }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('');
  const counts = Array.from({ length: PATTERNS }, (_, index) => 600 + index);
  let slowSite: Site;

  beforeAll(async () => {
    slowSite = await newSite(scene);
    const { make } = slowSite;
    const audiences = await Promise.all(
      counts.map((count) =>
        make.audience({
          conditions: ['and', ...['c', 'd', 'e'].map((end) => ['not', leaf('plan', slow(count, end))])],
        }),
      ),
    );
    for (const count of counts) {
      const page = await make.page({ conditions: [{ match: 'regex', value: slow(count, 'c') }] });
      await make.goal({ name: `Seen ${count}`, type: 'pageview', page_id: page.id });
    }
    await running(slowSite, 1, { audiences: audiences.map(({ id }) => id), audiences_match_type: 'all' });
  });

  const header = ({ key }: Site) => ({ authorization: `Bearer ${key}` });
  const view = (anonymousId: string, messageId: string, url: string) => [
    { type: 'page', anonymousId, messageId, properties: { url } },
  ];

  /** The responses to a few slow requests, to another project's requests meanwhile, and to an ordinary request afterwards. */
  async function answers(
    request: (site: Site, plan: string) => Promise<{ status: number; text: string }>,
  ): Promise<{ slow: string[]; ordinary: number; others: number[] }> {
    const all: string[] = [];
    const others: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const both = Promise.all([request(slowSite, text(2_000)), request(site, 'pro')]);
      const [{ status, text: body }, other] = await whileLive(server, both);
      others.push(other.status);
      all.push(status === 503 ? (JSON.parse(body) as { message: string }).message : String(status));
    }
    // The first ones still compile patterns, which takes time too.
    let ordinary: number;
    do {
      ordinary = (await request(slowSite, 'pro')).status;
    } while (ordinary === 503);
    return { slow: all, ordinary, others };
  }

  it.each<[string, (at: Site, plan: string) => Promise<{ status: number; text: string }>]>([
    [
      '/v1/decide',
      (at, plan) =>
        send(server, '/v1/decide', { user: { id: 'v', attributes: { plan } }, record: false }, header(at)),
    ],
    [
      '/ofrep/v1/evaluate/flags',
      (at, plan) =>
        send(server, '/ofrep/v1/evaluate/flags', { context: { targetingKey: 'v', plan } }, header(at)),
    ],
    [
      '/api/eval',
      (at, plan) =>
        send(server, `/api/eval/${at.key}`, { attributes: { id: 'v', plan }, url: 'https://a.example/' }),
    ],
    [
      '/v1/batch',
      (at, plan) =>
        send(server, '/v1/batch', {
          writeKey: at.key,
          batch: view('v', `slow-${Math.random()}`, `https://a.example/${plan}`),
        }),
    ],
  ])('gets 503 for them, and other requests are served: %s', async (_, request) => {
    const found = await answers(request);
    expect(found.slow).toContain(
      "The project's patterns take too long to match. Simplify the regular expressions of its audiences and pages.",
    );
    expect([found.ordinary, ...found.others]).toEqual([200, 200, 200, 200, 200, 200]);
  });
});
