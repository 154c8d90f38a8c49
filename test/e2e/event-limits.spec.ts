import { randomBytes } from 'node:crypto';
import { TestApi, World } from '../support/api';
import { conversion } from '../support/events';
import { Maker } from '../support/scene';

/* The limit on a project's events per minute. */

const REDIS_URL = process.env.TEST_REDIS_URL;
const BY_SERVER = 20;

interface Site {
  path: string;
  key: string;
}

let api: TestApi;
let world: World;

beforeAll(async () => {
  api = await TestApi.start({ EVENTS_PER_MINUTE: String(BY_SERVER) });
  world = await api.world();
});
afterAll(() => api.close());

async function newSite(limit?: number | null): Promise<Site> {
  const { client } = world.people.admin;
  const make = new Maker(client, `/projects/${await api.project(world.teamId)}`);
  await make.goal({ name: 'Sale' });
  if (limit !== undefined) {
    const answer = await client.patch(`${make.project}/settings`, { events_per_minute: limit });
    expect([answer.status, answer.body.events_per_minute]).toEqual([200, limit]);
  }
  const { body } = await client.get(make.project);
  return { path: make.project, key: body.client_key as string };
}

const post = ({ key }: Site, events: number, server = api) =>
  server.as(null).post('//v1/batch', {
    writeKey: key,
    batch: [...Array(events).keys()].map(() => conversion('visitor', 'sale')),
  });

it('the limit is the server default unless the project sets one, and events above the limit are not stored', async () => {
  const [limited, plain] = [await newSite(7), await newSite()];
  expect((await post(limited, 5)).status).toBe(200);
  const refused = await post(limited, 3);
  expect([refused.status, refused.body]).toEqual([
    429,
    { message: 'Too Many Attempts.', code: 'EVENTS_RATE_LIMITED' },
  ]);
  expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '7', 'x-ratelimit-remaining': '0' });
  const seconds = Number(refused.headers['retry-after']);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  // Rejected events do not count towards the limit.
  expect((await post(limited, 2)).status).toBe(200);
  expect((await post(limited, 1)).status).toBe(429);
  expect((await post(plain, BY_SERVER)).status).toBe(200);
  expect((await post(plain, 1)).status).toBe(429);
  const [{ count }]: { count: number | string }[] = await api.database.read.query(
    'SELECT COUNT(*) AS count FROM events',
  );
  expect(Number(count)).toBe(7 + BY_SERVER);
});

it('a batch larger than the limit is rejected with 413', async () => {
  const { status, body } = await post(await newSite(4), 5);
  expect([status, body]).toEqual([
    413,
    { message: 'At most 4 events can be sent at once.', code: 'TOO_MANY_EVENTS', max_events: 4 },
  ]);
});

it('changed settings apply immediately', async () => {
  const site = await newSite(2);
  expect((await post(site, 2)).status).toBe(200);
  expect((await post(site, 1)).status).toBe(429);
  await world.people.admin.client.patch(`${site.path}/settings`, { events_per_minute: null });
  expect((await post(site, 1)).status).toBe(200);
});

it('the limit does not apply to events with an API token', async () => {
  const site = await newSite(1);
  expect((await post(site, 1)).status).toBe(200);
  const { status, body } = await world.people.editor.client.post(`${site.path}/events`, {
    batch: [conversion('visitor', 'sale'), conversion('visitor', 'sale')],
  });
  expect([status, body]).toEqual([200, { success: true, accepted: 2, rejected: 0 }]);
});

it('the limit is disabled if it is 0', async () => {
  const unlimited = await api.sibling({ EVENTS_PER_MINUTE: '0' });
  const site = await newSite();
  expect((await post(site, BY_SERVER + 1, unlimited)).status).toBe(200);
  await unlimited.close();
});

(REDIS_URL === undefined ? describe.skip : describe)('with Redis', () => {
  // Project ids are the same in each test run, and counts in Redis outlive a run.
  const newDeployment = () => ({
    REDIS_URL: REDIS_URL ?? '',
    EVENTS_PER_MINUTE: '100',
    SESSION_SECRET: randomBytes(32).toString('hex'),
  });

  it('the limit is shared by all processes of a deployment, and counted per process while Redis is down', async () => {
    const environment = newDeployment();
    const servers = [await api.sibling(environment), await api.sibling(environment)];
    const site = await newSite(6);
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      statuses.push((await post(site, 1, servers[turn % 2])).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    const stranger = await api.sibling(newDeployment());
    expect((await post(site, 6, stranger)).status).toBe(200);
    await Promise.all([...servers, stranger].map((server) => server.close()));
    const alone = await api.sibling({ ...environment, REDIS_URL: 'redis://127.0.0.1:1' });
    expect((await post(site, 6, alone)).status).toBe(200);
    expect((await post(site, 1, alone)).status).toBe(429);
    await alone.close();
  });
});
