import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, createConnection } from 'mysql2/promise';
import { TestApi, World } from '../../support/api';
import { newSite, Site } from '../../support/delivery';
import { attributeAll, exposure, send, storedEvents } from '../../support/events';
import { MariaDb } from '../../support/mariadb';
import { RawHttp } from '../../support/raw-http';
import { Made, Maker, Scene } from '../../support/scene';
import { ServerProcess } from '../../support/server-process';
import { eventually } from '../../support/waiting';

/* Delivery must continue while MariaDB is killed, stopped, or busy with management requests. */

const VISITORS = Array.from({ length: 8 }, (_, index) => `visitor-${index}`);
const RETURN_MS = 30_000;
/** Far more than the number of connections in the management pool. */
const WRITERS = 60;

let server: MariaDb;
let folder: string;
let api: TestApi;
let scene: Scene;
let site: Site;
let experiment: Made;
let restarted: ServerProcess | null = null;

beforeAll(async () => {
  server = await MariaDb.create();
  await server.start();
  await server.query('CREATE DATABASE gosset');
  folder = mkdtempSync(join(tmpdir(), 'gosset-chaos-'));
  api = await TestApi.start({ CACHE_DIR: join(folder, 'cache') }, () =>
    Promise.resolve(server.url('gosset')),
  );
  const world: World = await api.world();
  scene = { api, world, client: world.people.admin.client, project: world.project } as Scene;
  site = await newSite(scene);
  experiment = await site.make.withStatus('running', { variations: [{ name: 'A' }, { name: 'B' }] });
}, 120_000);

afterAll(async () => {
  restarted?.kill('SIGKILL');
  server.signal('SIGCONT');
  await api.close();
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const raw = (url: string, headers: Record<string, string> = {}) =>
  api.app.inject({ method: 'GET', url, headers });

const statusOf = async (url: string): Promise<number> => (await raw(url)).statusCode;

async function metric(name: string): Promise<number> {
  const { payload } = await raw('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(payload)?.[1]);
}

/** The exact responses that visitors and back ends get. */
async function served(): Promise<unknown> {
  const scripts = [];
  for (const encoding of ['identity', 'gzip', 'br']) {
    const { statusCode, rawPayload, headers } = await raw(`/s/${site.key}.js`, {
      'accept-encoding': encoding,
    });
    scripts.push([statusCode, headers.etag, headers['cache-control'], rawPayload.toString('base64')]);
  }
  const payload = await raw(`/api/features/${site.key}`);
  const decisions = [];
  for (const id of VISITORS) {
    const decided = await site.post('/v1/decide', { user: { id }, record: false });
    const flags = await site.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: id } });
    const evaluated = await site.post(`/api/eval/${site.key}`, { attributes: { id } });
    decisions.push([decided.status, decided.body, flags.status, flags.body, evaluated.body]);
  }
  return { scripts, payload: [payload.statusCode, payload.payload], decisions };
}

const decide = (id: string) =>
  site.post('/v1/decide', { user: { id }, selector: { experiments: [experiment.id] } });

const isReady = (): Promise<boolean> =>
  eventually(async () => (await statusOf('/health/ready')) === 200, RETURN_MS);

/** Retries a batch until it is acknowledged, as browsers do. */
const acknowledge = (messages: object[]): Promise<boolean> =>
  eventually(async () => (await send(api, site.key, messages)).status === 200, RETURN_MS);

const newMessages = (prefix: string): object[] =>
  [0, 1, 2].map((index) =>
    exposure(`${prefix}-${index}`, experiment.id, experiment.variations[0].id as number, {
      messageId: randomUUID(),
    }),
  );

/** Asserts that every visitor is stored and counted once. */
async function expectCountedOnce(visitors: readonly string[]): Promise<void> {
  const stored = (await storedEvents(api)).filter(({ experiment_id }) => experiment_id === experiment.id);
  expect(stored.map(({ visitor_id }) => visitor_id).sort()).toEqual([...visitors].sort());
  await attributeAll(api);
  const info = await scene.client.get(`${site.make.project}/experiments/${experiment.id}/results/info`);
  expect(info.body.participants).toBe(visitors.length);
}

/**
 * Whether the server notices the outage within `RETURN_MS`. It treats a revision as current for a second, so it does
 * not notice immediately.
 */
const isNoticed = async (): Promise<boolean> => {
  const stale = await metric('gosset_delivery_stale_total');
  return eventually(async () => {
    await raw(`/s/${site.key}.js`);
    return (await metric('gosset_delivery_stale_total')) > stale;
  }, RETURN_MS);
};

const seen: string[] = [];

it('delivery continues when the database is killed, and is unchanged after the database restarts', async () => {
  const before = await served();
  const batch = newMessages('killed');
  await server.kill();
  expect(await served()).toEqual(before);
  expect(await isNoticed()).toBe(true);
  expect(await served()).toEqual(before);
  const stale = await metric('gosset_delivery_stale_total');
  for (const id of VISITORS) {
    const { status, body } = await decide(id);
    expect([status, body.recorded, body.experiments[0].variation]).toEqual([200, false, expect.any(Object)]);
  }
  expect(await metric('gosset_delivery_stale_total')).toBe(stale + VISITORS.length);
  expect(await metric('gosset_decisions_unrecorded_total')).toBe(VISITORS.length);
  const refused = await send(api, site.key, batch);
  expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([503, expect.any(Number)]);
  expect((await site.post('/v1/track', { user: { id: 'v' }, events: [{ id: 1 }] })).status).toBe(503);
  // The project of an unknown key cannot be looked up during the outage.
  expect([await statusOf('/s/pk_unknown.js'), await statusOf('/health/ready')]).toEqual([503, 503]);
  const delivery = await scene.api.as(null).get('//health/delivery');
  expect([delivery.status, delivery.body.details.delivery.from]).toEqual([200, 'copies']);

  await server.start();
  expect(await isReady()).toBe(true);
  for (const id of VISITORS) {
    expect(await eventually(async () => (await decide(id)).body.recorded === true, RETURN_MS)).toBe(true);
  }
  expect(await acknowledge(batch)).toBe(true);
  expect(await acknowledge(batch)).toBe(true);
  seen.push(...VISITORS, 'killed-0', 'killed-1', 'killed-2');
  await expectCountedOnce(seen);
  expect(await served()).toEqual(before);
  await scene.client.patch(experiment.path, { css: '.published-after{}' });
  expect((await scene.client.patch(`${experiment.path}/publish`)).status).toBe(200);
  expect((await raw(`/s/${site.key}.js`)).payload).toContain('.published-after{}');
}, 120_000);

it('delivery continues while the database is stopped', async () => {
  const before = await served();
  const batch = newMessages('halted');
  server.signal('SIGSTOP');
  const waiting = send(api, site.key, batch);
  // Requests that wait for the database get no response before SIGCONT.
  expect(await served()).toEqual(before);
  expect(await isNoticed()).toBe(true);
  const { status, body } = await decide('halted-decided');
  expect([status, body.recorded]).toEqual([200, false]);
  expect([await statusOf('/health/ready'), await statusOf('/health/delivery')]).toEqual([503, 200]);
  expect(await served()).toEqual(before);
  expect((await waiting).status).toBe(503);
  server.signal('SIGCONT');
  expect(await isReady()).toBe(true);
  expect(await acknowledge(batch)).toBe(true);
  expect(
    await eventually(async () => (await decide('halted-decided')).body.recorded === true, RETURN_MS),
  ).toBe(true);
  seen.push('halted-0', 'halted-1', 'halted-2', 'halted-decided');
  await expectCountedOnce(seen);
}, 120_000);

it('delivery, collection and other projects continue while many requests wait for a lock', async () => {
  const before = await served();
  const stale = await metric('gosset_delivery_stale_total');
  const make = new Maker(scene.client, site.make.project);
  const goal = await make.goal();
  const others = new Maker(scene.client, `/projects/${await api.project(scene.world.teamId)}`);
  const holder: Connection = await createConnection(server.url('gosset'));
  await holder.query('START TRANSACTION');
  await holder.query('SELECT version FROM project_versions WHERE project_id = ? FOR UPDATE', [
    site.projectId,
  ]);
  let answered = 0;
  const writes = Array.from({ length: WRITERS }, (_, index) =>
    (index % 2 === 0
      ? scene.client.patch(goal.path, { name: `Goal ${index}` })
      : scene.client.post(`${make.project}/goals`, { name: `New goal ${index}` })
    ).then((answer) => {
      answered += 1;
      return answer;
    }),
  );
  expect(await statusOf('/health/ready')).toBe(200);
  expect(await served()).toEqual(before);
  const { status, body } = await decide('locked-decided');
  expect([status, body.recorded]).toEqual([200, true]);
  expect((await send(api, site.key, newMessages('locked'))).status).toBe(200);
  const trusted = { batch: newMessages('trusted') };
  expect((await scene.client.post(`${make.project}/events`, trusted)).status).toBe(200);
  const made = await others.goal({ name: 'In another project' });
  expect((await scene.client.patch(made.path, { name: 'Changed' })).status).toBe(200);
  expect((await scene.client.get(`${others.project}/goals`)).body).toHaveLength(1);
  expect([answered, await statusOf('/health/ready')]).toEqual([0, 200]);
  // The responses were current, not stale.
  expect(await metric('gosset_delivery_stale_total')).toBe(stale);

  const refused = await Promise.all(writes);
  expect(new Set(refused.map((answer) => answer.status))).toEqual(new Set([503]));
  expect(refused.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
  await holder.query('ROLLBACK');
  await holder.end();
  expect((await scene.client.patch(goal.path, { name: 'Stored' })).status).toBe(200);
  expect((await scene.client.get(goal.path)).body.name).toBe('Stored');
  seen.push('locked-decided');
  seen.push(...['locked', 'trusted'].flatMap((name) => [0, 1, 2].map((index) => `${name}-${index}`)));
  await expectCountedOnce(seen);
}, 120_000);

it('requests that wait for a table lock get 503', async () => {
  const goal = await new Maker(scene.client, site.make.project).goal();
  const holder: Connection = await createConnection(server.url('gosset'));
  await holder.query('LOCK TABLES goals WRITE');
  const refused = await scene.client.patch(goal.path, { name: 'Refused' });
  expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([503, expect.any(Number)]);
  await holder.query('UNLOCK TABLES');
  await holder.end();
  expect((await scene.client.patch(goal.path, { name: 'Stored' })).status).toBe(200);
}, 120_000);

it('delivery continues in a process that starts while the database is down', async () => {
  const before = await raw(`/s/${site.key}.js`);
  const environment = {
    DATABASE_URL: server.url('gosset'),
    CACHE_DIR: join(folder, 'restarted'),
    LOG_LEVEL: 'warn',
  };
  const first = await (await ServerProcess.spawn(environment)).ready();
  await fetch(`${first.address}/s/${site.key}.js`);
  first.kill('SIGTERM');
  await first.exit;
  await server.kill();
  const second = await ServerProcess.spawn({ ...environment, PORT: new URL(first.address).port });
  restarted = second;
  const ask = (path: string, body?: object): Promise<Response | null> =>
    fetch(`${first.address}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
    }).catch(() => null);
  const isDelivering = async (): Promise<boolean> => (await ask('/health/delivery'))?.status === 200;
  expect(await eventually(isDelivering, RETURN_MS)).toBe(true);
  const script = await ask(`/s/${site.key}.js`);
  expect((await script?.text()) === before.payload).toBe(true);
  const decided = await (await ask('/v1/decide', { user: { id: 'restarted' } }))?.json();
  expect(decided).toEqual({ ...(await decide('restarted')).body, recorded: false });
  const statuses = [
    await ask('/v1/batch', { writeKey: site.key, batch: newMessages('restarted') }),
    await ask('/health/ready'),
    await ask('/api/teams'),
    await ask('/s/pk_unknown.js'),
  ].map((answer) => [answer?.status, answer?.headers.get('retry-after')]);
  expect(statuses).toEqual(Array.from({ length: 4 }, () => [503, '2']));
  expect((await ask('/health/live'))?.status).toBe(200);

  const stalled = await RawHttp.open(first.address);
  stalled.send('POST /v1/decide HTTP/1.1', 'Host: localhost', 'Content-Length: 50', '', '{"user');
  await server.start();
  const isBack = async (): Promise<boolean> => (await ask('/health/ready'))?.status === 200;
  expect(await eventually(isBack, RETURN_MS)).toBe(true);
  const recorded = async (): Promise<boolean> => {
    const answer = await ask('/v1/decide', { user: { id: 'restarted' } });
    return ((await answer?.json()) as { recorded?: boolean } | undefined)?.recorded === true;
  };
  expect(await eventually(recorded, RETURN_MS)).toBe(true);
  second.kill('SIGTERM');
  await second.exit;
  expect(await isReady()).toBe(true);
  seen.push('restarted');
  await expectCountedOnce(seen);
}, 120_000);

it('a process that delivers copies waits until the database stays reachable', async () => {
  const url = new URL(server.url('gosset'));
  const { port, hostname } = url;
  let isUnstable = true;
  let drops = 0;
  const relay = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('data', (chunk: Buffer) => {
      // One of the last statements before the server listens.
      if (isUnstable && chunk.includes('FROM publication_parts')) {
        drops += 1;
        client.destroy();
      }
      upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  url.port = String((relay.address() as AddressInfo).port);
  const environment = { CACHE_DIR: join(folder, 'restarted'), LOG_LEVEL: 'warn' };
  restarted = await ServerProcess.spawn({ ...environment, DATABASE_URL: url.href });
  const { address } = restarted;
  expect(await eventually(async () => drops >= 2, RETURN_MS)).toBe(true);
  expect((await fetch(`${address}/s/${site.key}.js`)).status).toBe(200);
  isUnstable = false;
  const isBack = async (): Promise<boolean> => (await fetch(`${address}/health/ready`)).status === 200;
  await eventually(() => isBack().catch(() => false), RETURN_MS);
  expect(await isBack()).toBe(true);
  restarted.kill('SIGTERM');
  await restarted.exit;
  relay.close();
}, 120_000);
