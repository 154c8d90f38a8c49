import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RevisionCache } from '../../src/publishing/revision-cache';
import type { TestApi } from '../support/api';
import { newSite, running, Site } from '../support/delivery';
import { Made, useScene } from '../support/scene';
import { eventually } from '../support/waiting';

/* Delivery during a database outage, and how quickly it serves new revisions otherwise. */

const OUTAGE_MS = 20_000;
/** Longer than the time for which a revision counts as current. */
const A_WHILE_MS = 1_100;

const scene = useScene();

afterEach(() => jest.restoreAllMocks());

const failing = ({ database }: TestApi) =>
  jest
    .spyOn(database.delivery, 'query')
    .mockRejectedValue(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));

const get = ({ app }: TestApi, url: string) => app.inject({ method: 'GET', url });

const scriptOf = async (api: TestApi, { key }: Site) => {
  const { statusCode, payload, headers } = await get(api, `/s/${key}.js`);
  return [statusCode, headers.etag, payload];
};

async function metric(api: TestApi, name: string): Promise<number> {
  const { payload } = await get(api, '/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(payload)?.[1]);
}

const stored = ({ app }: TestApi): Promise<void> =>
  app.get(RevisionCache, { strict: false }).onApplicationShutdown();

const filesOf = ({ config }: TestApi): string[] =>
  readdirSync(config.cacheDir).map((name) => join(config.cacheDir, name));

describe('a revision', () => {
  it('is looked up once per second, not for each request', async () => {
    const sites = [await newSite(scene), await newSite(scene), await newSite(scene)];
    for (const site of sites) {
      await scriptOf(scene.api, site);
    }
    const query = jest.spyOn(scene.api.database.delivery, 'query');
    const began = performance.now();
    for (let round = 0; round < 40 || performance.now() - began < 1_500; round += 1) {
      for (const site of sites) {
        await scriptOf(scene.api, site);
        await site.post('/v1/decide', { user: { id: 'v' }, record: false });
        await site.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'v' } });
      }
    }
    const seconds = (performance.now() - began) / 1_000;
    // The allowed origins of keys are looked up as often, in separate statements.
    const lookUps = query.mock.calls.filter(([sql]) => sql.includes('snippet_revision'));
    expect(lookUps.length).toBeGreaterThan(0);
    expect(lookUps.length).toBeLessThanOrEqual(sites.length * Math.ceil(seconds));
  });

  it('is served by the next request if this process has published it', async () => {
    const site = await newSite(scene);
    const experiment = await running(site);
    for (let edit = 1; edit <= 5; edit += 1) {
      await scene.client.patch(experiment.path, { css: `.edit-${edit}{}` });
      await scene.client.patch(`${experiment.path}/publish`);
      expect((await get(scene.api, `/s/${site.key}.js`)).payload).toContain(`.edit-${edit}{}`);
    }
    await site.make.move(experiment, 'pause');
    const { body } = await site.post('/v1/decide', {
      user: { id: 'v' },
      selector: { experiments: [experiment.id] },
    });
    expect(body.experiments[0].reason).toBe('not_running');
    await scene.client.delete(site.make.project);
    expect((await get(scene.api, `/s/${site.key}.js`)).statusCode).toBe(404);
  });

  it('is served soon if another process has published it, and immediately by its own URL', async () => {
    const site = await newSite(scene);
    const experiment = await running(site);
    const other = await scene.api.sibling();
    expect((await get(other, `/s/${site.key}.js`)).headers['x-snippet-revision']).toBe('1');
    await scene.client.patch(experiment.path, { css: '.elsewhere{}' });
    await scene.client.patch(`${experiment.path}/publish`);
    expect((await get(other, `/s/${site.key}/2.js`)).payload).toContain('.elsewhere{}');
    const isSeen = async (): Promise<boolean> =>
      (await get(other, `/s/${site.key}.js`)).headers['x-snippet-revision'] === '2';
    expect(await eventually(isSeen, OUTAGE_MS)).toBe(true);
    await other.close();
  });
});

describe('while the database does not respond', () => {
  let site: Site;
  let idle: Made;

  beforeEach(async () => {
    site = await newSite(scene);
    await running(site);
    idle = await running(site, 2, { api_name: 'was-running' });
    await site.make.move(idle, 'pause');
    // A project without a cached copy is not served until the server has noticed that the last outage is over.
    const isServed = async (): Promise<boolean> => (await scriptOf(scene.api, site))[0] === 200;
    expect(await eventually(isServed, OUTAGE_MS)).toBe(true);
  });

  it('everything is served as before, and stale responses are counted', async () => {
    const script = await scriptOf(scene.api, site);
    const decision = { user: { id: 'v' }, selector: { experiments: [idle.id, 999_999] } };
    const flags = () => site.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'v' } });
    const before = [await site.post('/v1/decide', { ...decision, record: false }), await flags()];
    const payload = await get(scene.api, `/api/features/${site.key}`);
    failing(scene.api);
    await sleep(A_WHILE_MS);
    const stale = await metric(scene.api, 'gosset_delivery_stale_total');
    expect(await scriptOf(scene.api, site)).toEqual(script);
    expect((await get(scene.api, `/api/features/${site.key}`)).payload).toBe(payload.payload);
    const after = [await site.post('/v1/decide', { ...decision, record: false }), await flags()];
    expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body));
    expect(await metric(scene.api, 'gosset_delivery_stale_total')).toBe(stale + 4);
    const current = (await get(scene.api, `/s/${site.key}.js`)).headers['x-snippet-revision'];
    expect((await get(scene.api, `/s/${site.key}/${String(current)}.js`)).payload).toBe(script[2]);
    // Other revisions cannot be looked up during the outage.
    expect((await get(scene.api, `/s/${site.key}/99.js`)).statusCode).toBe(503);
    expect((await get(scene.api, '/s/pk_unknown.js')).statusCode).toBe(503);
    expect((await scene.api.as('pk_unknown').post('//v1/decide')).status).toBe(503);
  });

  it('decisions report that nothing is recorded', async () => {
    failing(scene.api);
    await sleep(A_WHILE_MS);
    const unrecorded = await metric(scene.api, 'gosset_decisions_unrecorded_total');
    const first = await site.post('/v1/decide', { user: { id: 'unseen' } });
    expect([first.status, first.body.recorded]).toEqual([200, false]);
    expect(await metric(scene.api, 'gosset_decisions_unrecorded_total')).toBe(unrecorded + 1);
    jest.restoreAllMocks();
    const again = async () => site.post('/v1/decide', { user: first.body.user });
    expect(await eventually(async () => (await again()).body.recorded === true, OUTAGE_MS)).toBe(true);
    expect((await again()).body.user).toEqual(first.body.user);
  });

  it('health checks distinguish delivery and management', async () => {
    const health = (part: string) => scene.api.as(null).get(`//health/${part}`);
    expect((await health('delivery')).body.details).toEqual({ delivery: { status: 'up', from: 'database' } });
    failing(scene.api);
    const [ready, delivery] = [await health('ready'), await health('delivery')];
    expect([ready.status, delivery.status]).toEqual([503, 200]);
    expect(delivery.body.details.delivery).toEqual({
      status: 'up',
      from: 'copies',
      reason: 'connect ECONNREFUSED',
    });
    jest.restoreAllMocks();
    expect((await health('ready')).status).toBe(200);
  });

  it('a new process serves revisions from its disk cache', async () => {
    const script = await scriptOf(scene.api, site);
    const flags = (await site.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'v' } })).body;
    await stored(scene.api);
    const fresh = await scene.api.sibling();
    failing(fresh);
    expect(await scriptOf(fresh, site)).toEqual(script);
    const headers = { authorization: `Bearer ${site.key}` };
    const body = { context: { targetingKey: 'v' } };
    expect((await fresh.as(null).post('//ofrep/v1/evaluate/flags', body, headers)).body).toEqual(flags);
    expect((await get(fresh, '/health/delivery')).statusCode).toBe(200);
    jest.restoreAllMocks();
    await fresh.close();
  });
});

describe('a copy on disk', () => {
  it("is readable only by the server's user", async () => {
    const site = await newSite(scene);
    await scriptOf(scene.api, site);
    await stored(scene.api);
    expect(statSync(scene.api.config.cacheDir).mode & 0o777).toBe(0o700);
    const modes = filesOf(scene.api).map((file) => statSync(file).mode & 0o777);
    expect([modes.length > 0, new Set(modes)]).toEqual([true, new Set([0o600])]);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['is empty', () => Buffer.alloc(0)],
    ['is cut off', (bytes) => bytes.subarray(0, bytes.length - 100)],
    [
      'has a changed byte',
      (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 50 ? byte ^ 1 : byte))),
    ],
    ['is something else', () => Buffer.from('gosset-revision-1 0\n{}\n')],
  ])('that %s is ignored', async (_, damage) => {
    const site = await newSite(scene);
    await running(site);
    const known = new Set(filesOf(scene.api));
    await scriptOf(scene.api, site);
    await stored(scene.api);
    const [file] = filesOf(scene.api).filter((each) => !known.has(each));
    writeFileSync(file, damage(readFileSync(file)));
    const fresh = await scene.api.sibling();
    failing(fresh);
    expect((await get(fresh, `/s/${site.key}.js`)).statusCode).toBe(503);
    jest.restoreAllMocks();
    const isServed = async (): Promise<boolean> => (await get(fresh, `/s/${site.key}.js`)).statusCode === 200;
    expect(await eventually(isServed, OUTAGE_MS)).toBe(true);
    await fresh.close();
  });
});
