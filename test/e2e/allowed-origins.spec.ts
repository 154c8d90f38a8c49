import { setTimeout as sleep } from 'node:timers/promises';
import { ClientKeys } from '../../src/events/client-keys';
import { ClientKeyStore } from '../../src/events/client-keys.store';
import { USER_AGENT } from '../support/browser';
import { newSite, running, Site } from '../support/delivery';
import { exposure, storedEvents } from '../support/events';
import { ALL_FLAGS } from '../support/ofrep';
import { Made, useScene } from '../support/scene';

/* Allowed origins: the sites whose pages may use a client key. */

/** The delay of each project lookup. It exceeds the time that a request may wait for the lookup. */
const SLOW_MS = 400;

const scene = useScene();
const OWN = 'https://shop.example.com';
const OTHER = 'https://evil.example';
let site: Site;
let experiment: Made;
let flag: string;

beforeAll(async () => {
  site = await newSite(scene);
  experiment = await running(site);
  flag = experiment.api_name as string;
  const answer = await scene.client.patch(`${site.make.project}/settings`, { allowed_origins: [OWN] });
  expect(answer.status).toBe(200);
});

const user = { user: { id: 'visitor' } };
const context = { context: { targetingKey: 'visitor' } };
const REFUSED = { message: 'Pages on this site may not use the client key.', code: 'ORIGIN_NOT_ALLOWED' };

/** All requests that pages can make, each with the key in its usual place. */
const calls = (): [string, 'GET' | 'POST', string, unknown?][] => [
  ['collection', 'POST', '/v1/batch', { writeKey: site.key, batch: [] }],
  ['decisions', 'POST', `/v1/decide?client_key=${site.key}`, user],
  ['conversions', 'POST', `/v1/track?client_key=${site.key}`, { user: { id: 'v' }, events: [] }],
  ['one flag', 'POST', `${ALL_FLAGS}/${flag}?client_key=${site.key}`, context],
  ['all flags', 'POST', `${ALL_FLAGS}?client_key=${site.key}`, context],
  ['payload', 'GET', `/api/features/${site.key}`],
  ['remote evaluation', 'POST', `/api/eval/${site.key}`, { attributes: { id: 'v' } }],
  ['events of an SDK', 'POST', `/track?client_key=${site.key}`, []],
];

const call = (index: number, origin?: string) => {
  const [, method, url, body] = calls()[index];
  const page: Record<string, string> = origin === undefined ? {} : { origin, 'user-agent': USER_AGENT };
  return scene.api.as(null).send(method, `/${url}`, body, page);
};

describe.each([
  'collection',
  'decisions',
  'conversions',
  'one flag',
  'all flags',
  'payload',
  'remote evaluation',
  'events of an SDK',
])('%s', (name) => {
  const index = (): number => calls().findIndex(([own]) => own === name);

  it('is rejected for pages of other sites, with a readable reason', async () => {
    for (const origin of [OTHER, 'null', `${OWN}:8443`, 'http://shop.example.com']) {
      const { status, body, headers } = await call(index(), origin);
      expect([origin, status, body]).toEqual([origin, 403, REFUSED]);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers.vary).toContain('Origin');
    }
  });

  it('is available to pages of the site and to back ends', async () => {
    const own = await call(index(), OWN);
    const backEnd = await call(index());
    expect([own.status, backEnd.status].filter((status) => status === 403)).toEqual([]);
    expect([own.status, own.body]).toEqual([backEnd.status, backEnd.body]);
    expect(own.headers.vary).toContain('Origin');
  });
});

describe('a preflight', () => {
  const ask = async (url: string, origin: string): Promise<number> => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    return (await scene.api.app.inject({ method: 'OPTIONS', url, headers })).statusCode;
  };

  it('is rejected for other sites if the URL contains the key', async () => {
    for (const url of [`/api/eval/${site.key}`, `/v1/decide?client_key=${site.key}`]) {
      expect([url, await ask(url, OTHER), await ask(url, OWN)]).toEqual([url, 403, 204]);
    }
  });

  it('is allowed if the key is in the body', async () => {
    expect(await ask('/v1/batch', OTHER)).toBe(204);
  });
});

it('the origin check does not apply to the script, or to projects without allowed origins', async () => {
  const headers = { origin: OTHER };
  expect((await scene.api.as(null).get(`//s/${site.key}.js`, headers)).status).toBe(200);
  const open = await newSite(scene);
  const { status, headers: answered } = await scene.api
    .as(null)
    .post('//v1/batch', { writeKey: open.key, batch: [] }, headers);
  expect([status, answered.vary]).toEqual([200, 'Accept-Encoding']);
});

it('the origin check cannot be bypassed with a second key in the body', async () => {
  const open = await newSite(scene);
  const answer = await scene.api
    .as(null)
    .post(`//v1/decide?client_key=${site.key}`, { ...user, writeKey: open.key }, { origin: OTHER });
  expect(answer.status).toBe(403);
});

describe('while the project lookup is slow', () => {
  const VISITOR = 'slow-visitor';
  const subject = { context: { targetingKey: VISITOR } };

  beforeEach(() => {
    scene.api.app.get(ClientKeys, { strict: false }).forget(site.projectId);
    const store = scene.api.app.get(ClientKeyStore, { strict: false });
    const read = store.read.bind(store);
    jest.spyOn(store, 'read').mockImplementation(async (keys) => {
      await sleep(SLOW_MS);
      return read(keys);
    });
  });
  afterEach(() => jest.restoreAllMocks());

  const sent = (): object => exposure(VISITOR, experiment.id, experiment.variations[0].id as number);
  const viewed = (): object => ({
    event_name: 'Experiment Viewed',
    properties_json: {
      experimentId: experiment.id,
      variationId: experiment.variations[0].id,
      hashValue: VISITOR,
    },
  });
  const posts: [string, () => [string, object]][] = [
    ['collection', () => ['/v1/batch', { writeKey: site.key, batch: [sent()] }]],
    ['decisions', () => [`/v1/decide?client_key=${site.key}`, { user: { id: VISITOR } }]],
    ['one flag', () => [`${ALL_FLAGS}/${flag}?record=1&client_key=${site.key}`, subject]],
    ['events of an SDK', () => [`/track?client_key=${site.key}`, [viewed()]]],
  ];

  it.each(posts)('%s stores nothing for pages of other sites', async (_, post) => {
    const [url, body] = post();
    const answer = await scene.api.as(null).post(`/${url}`, body, { origin: OTHER });
    expect([answer.status, answer.body]).toMatchObject([403, REFUSED]);
    const visitors = (await storedEvents(scene.api)).map(({ visitor_id }) => visitor_id);
    expect(visitors).not.toContain(VISITOR);
  });

  it.each([[{ origin: OWN, 'user-agent': USER_AGENT }], [{}]])(
    'collection accepts the headers %j',
    async (headers) => {
      const { status, body } = await scene.api
        .as(null)
        .post('//v1/batch', { writeKey: site.key, batch: [{ ...sent(), anonymousId: 'own' }] }, headers);
      expect([status, body]).toEqual([200, { success: true, accepted: 1, rejected: 0 }]);
    },
  );
});

it('a change to the allowed origins takes effect immediately in the process that made it, as deleting a project does', async () => {
  const project = await newSite(scene);
  const post = async (): Promise<number> => {
    const batch = { writeKey: project.key, batch: [] };
    return (await scene.api.as(null).post('//v1/batch', batch, { origin: OWN })).status;
  };
  const { make } = project;
  const statuses = [await post()];
  await scene.client.patch(`${make.project}/settings`, { allowed_origins: [] });
  statuses.push(await post());
  await scene.client.patch(`${make.project}/settings`, { allowed_origins: null });
  statuses.push(await post());
  expect((await scene.client.delete(make.project)).status).toBe(204);
  statuses.push(await post());
  expect(statuses).toEqual([200, 403, 200, 401]);
});

it('a change to the allowed origins takes effect in other processes within a second, and an empty list allows no origin', async () => {
  const sibling = await scene.api.sibling();
  const project = await newSite(scene);
  const post = (): Promise<{ status: number }> =>
    sibling.as(null).post('//v1/batch', { writeKey: project.key, batch: [] }, { origin: OWN });
  expect((await post()).status).toBe(200);
  await scene.client.patch(`${project.make.project}/settings`, { allowed_origins: [] });
  const deadline = Date.now() + 10_000;
  let { status } = await post();
  while (status !== 403 && Date.now() < deadline) {
    ({ status } = await post());
  }
  expect(status).toBe(403);
  await sibling.close();
});
