import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RecentEventsService } from '../../src/events/recent/recent-events.service';
import { RecentMessages } from '../../src/events/recent/recent-messages';
import { SharedMessages } from '../../src/events/recent/shared-messages';
import { TrashService } from '../../src/projects/trash/trash.service';
import { AdminCommand } from '../support/admin';
import { TestApi } from '../support/api';
import { newSite, type Site } from '../support/delivery';
import { engine } from '../support/engine';
import { conversion, send } from '../support/events';
import type { ListedEvent } from '../support/recent-events';
import { RedisProcess } from '../support/redis-process';
import { Maker, type Scene } from '../support/scene';
import { eventually } from '../support/waiting';

/* Several processes share one list of recent messages through Redis. */

const GENEROUS_MS = 60_000;

let redis: RedisProcess;
let servers: TestApi[] = [];
let scene: Scene;
let token: string;

beforeAll(async () => {
  redis = await RedisProcess.start();
  const environment = { REDIS_URL: redis.url, SESSION_SECRET: randomBytes(32).toString('hex') };
  const first = await TestApi.start(environment);
  servers = [await first.sibling(environment), first];
  const world = await first.world();
  token = world.people.viewer.token;
  const { client } = world.people.admin;
  scene = { api: first, world, client, make: new Maker(client, world.project) } as Scene;
});
afterAll(async () => {
  jest.restoreAllMocks();
  for (const server of servers) {
    await server.close();
  }
  await redis.stop();
});

interface List {
  since: string;
  is_shared: boolean;
  messages: ListedEvent[];
}

async function shop(): Promise<Site> {
  const site = await newSite(scene);
  await site.make.goal({ name: 'Sale' });
  return site;
}

async function listOf(server: TestApi, site: Site): Promise<List> {
  const { status, body } = await server.as(token).get(`${site.make.project}/events/recent`);
  expect(status).toBe(200);
  return body as List;
}

const visitorsOf = ({ messages }: List): string[] =>
  messages.map(({ visitor_id }) => String(visitor_id)).sort();

async function sendAs(server: TestApi, site: Site, ...visitors: string[]): Promise<void> {
  const { status } = await send(
    server,
    site.key,
    visitors.map((visitor) => conversion(visitor, 'sale')),
  );
  expect(status).toBe(200);
}

/**
 * Waits until the list of a server is shared and contains exactly `visitors`, in any order. @returns null after a
 * timeout
 */
async function seenBy(server: TestApi, site: Site, visitors: string[]): Promise<List | null> {
  let seen: List | null = null;
  await eventually(async () => {
    const list = await listOf(server, site);
    const isThere = list.is_shared && JSON.stringify(visitorsOf(list)) === JSON.stringify(visitors);
    seen = isThere ? list : null;
    return isThere;
  }, GENEROUS_MS);
  return seen;
}

it('the list shows the messages of all processes, each once, newest first', async () => {
  const [one, other] = servers as [TestApi, TestApi];
  const site = await shop();
  await sendAs(one, site, 'ann', 'ben');
  await sendAs(other, site, 'cleo');
  await sendAs(one, site, 'dora');
  for (const server of [one, other]) {
    const list = await seenBy(server, site, ['ann', 'ben', 'cleo', 'dora']);
    expect(list?.messages.map(({ visitor_id }) => visitor_id)).toEqual(['dora', 'cleo', 'ben', 'ann']);
  }
});

it('the list has the last 200 messages of all processes', async () => {
  const [one, other] = servers as [TestApi, TestApi];
  const site = await shop();
  await sendAs(one, site, ...Array.from({ length: 150 }, (_, index) => `one-${index}`));
  await sendAs(other, site, ...Array.from({ length: 150 }, (_, index) => `two-${index}`));
  for (const server of [one, other]) {
    const isComplete = await eventually(async () => {
      const { messages, since } = await listOf(server, site);
      return (
        messages.length === 200 &&
        since === messages[199].received_at &&
        messages.filter(({ visitor_id }) => visitor_id?.startsWith('two')).length === 150
      );
    }, GENEROUS_MS);
    expect(isComplete).toBe(true);
  }
});

it('the installation check adds up the counts of all processes', async () => {
  const [one, other] = servers as [TestApi, TestApi];
  const site = await shop();
  await sendAs(one, site, 'ann', 'ben');
  await send(other, site.key, [conversion('cleo', 'nothing')]);
  await one.as(null).get(`//s/${site.key}.js`, { referer: 'https://one.example.com/' });
  await other.as(null).get(`//s/${site.key}.js`, { referer: 'https://two.example.com/' });
  for (const server of [one, other]) {
    const isSummed = await eventually(async () => {
      const { body } = await server.as(token).get(`${site.make.project}/health`);
      const hosts = (body.snippet.hosts as { host: string }[]).map(({ host }) => host).sort();
      return (
        body.is_shared &&
        JSON.stringify([body.last_hour.accepted, body.last_hour.rejected_by_reason, hosts]) ===
          JSON.stringify([2, { unknown_event: 1 }, ['one.example.com', 'two.example.com']])
      );
    }, GENEROUS_MS);
    expect(isSummed).toBe(true);
  }
});

it('the list is not shared with another deployment on the same Redis', async () => {
  const site = await shop();
  await sendAs(servers[0], site, 'ann');
  expect(await seenBy(servers[1], site, ['ann'])).not.toBeNull();
  const stranger = await scene.api.sibling({ REDIS_URL: redis.url, SESSION_SECRET: 'x'.repeat(40) });
  const list = await seenBy(stranger, site, []);
  await stranger.close();
  expect(list).not.toBeNull();
});

it('the list survives the end of a process', async () => {
  const site = await shop();
  const environment = { REDIS_URL: redis.url, SESSION_SECRET: scene.api.config.sessionSecret! };
  const short = await scene.api.sibling(environment);
  await sendAs(short, site, 'ann');
  expect(await seenBy(servers[1], site, ['ann'])).not.toBeNull();
  await short.close();
  expect(await seenBy(servers[1], site, ['ann'])).not.toBeNull();
});

it('the list is removed with its project, by each process', async () => {
  const site = await shop();
  const { projectId } = site.make;
  for (const server of servers) {
    await sendAs(server, site, 'ann');
  }
  expect(await seenBy(servers[1], site, ['ann', 'ann'])).not.toBeNull();
  const keys = (): Promise<string[]> => redis.keys(`*:${projectId}:*`);
  expect(await keys()).not.toEqual([]);
  await scene.client.delete(site.make.project);
  await scene.api.app.get(TrashService, { strict: false }).purge({ type: 'project', id: projectId }, 'admin');
  for (const server of servers) {
    await server.app.get(RecentEventsService, { strict: false }).forgetPurged();
    expect(server.app.get(RecentMessages, { strict: false }).projectIds).not.toContain(projectId);
  }
  expect(await keys()).toEqual([]);
});

(engine === 'sqlite' ? it : it.skip)(
  'the messages of a visitor are deleted by the admin command, which finds the secret that the server has stored',
  async () => {
    const site = await shop();
    const { projectId } = site.make;
    await sendAs(servers[0], site, 'ann', 'bob');
    expect(await seenBy(servers[1], site, ['ann', 'bob'])).not.toBeNull();
    const file = join(dirname(scene.api.databaseUrl.slice('sqlite:'.length)), 'session-secret');
    writeFileSync(file, scene.api.config.sessionSecret!, { mode: 0o600 });
    const admin = new AdminCommand(scene.api.databaseUrl, { REDIS_URL: redis.url });
    await admin.json(['visitors:delete', '--project', String(projectId), '--visitor', 'ann', '--yes']);
    admin.remove();
    const stored = (await redis.lists(`*:${projectId}:*messages`)).join();
    expect([stored.includes('ann'), stored.includes('bob')]).toEqual([false, true]);
  },
);

it('the list shows a message once even if Redis responded too late and the message was written again', async () => {
  const site = await shop();
  const write = SharedMessages.prototype.write;
  const late = jest.spyOn(SharedMessages.prototype, 'write').mockImplementationOnce(async function (
    this: SharedMessages,
    ...args
  ) {
    await write.apply(this, args);
    return false;
  });
  await sendAs(servers[0], site, 'ann');
  expect(await eventually(async () => late.mock.calls.length > 1, GENEROUS_MS)).toBe(true);
  late.mockRestore();
  for (const server of servers) {
    const list = await seenBy(server, site, ['ann']);
    expect(list?.messages.map(({ outcome }) => outcome)).toEqual(['accepted']);
  }
});

it('the list is local to the process while Redis is down: messages are collected, and shared later', async () => {
  const [one, other] = servers as [TestApi, TestApi];
  const site = await shop();
  await sendAs(one, site, 'ann');
  expect(await seenBy(other, site, ['ann'])).not.toBeNull();
  redis.kill('SIGSTOP');
  await sendAs(one, site, 'ben');
  const paused = await listOf(one, site);
  redis.kill('SIGCONT');
  expect([paused.is_shared, visitorsOf(paused)]).toEqual([false, ['ann', 'ben']]);
  expect(await seenBy(other, site, ['ann', 'ben'])).not.toBeNull();

  await redis.stop();
  let refused = 0;
  const write = SharedMessages.prototype.write;
  jest.spyOn(SharedMessages.prototype, 'write').mockImplementation(async function (
    this: SharedMessages,
    ...args
  ) {
    const isTaken = await write.apply(this, args);
    refused += isTaken ? 0 : 1;
    return isTaken;
  });
  await sendAs(one, site, 'cleo');
  const stopped = await listOf(one, site);
  expect([stopped.is_shared, visitorsOf(stopped)]).toEqual([false, ['ann', 'ben', 'cleo']]);
  expect((await one.as(token).get(`${site.make.project}/health`)).body).toMatchObject({
    is_shared: false,
    last_hour: { accepted: 3 },
  });
  expect(await eventually(async () => refused > 0, GENEROUS_MS)).toBe(true);
  await redis.start();
  expect(await seenBy(one, site, ['ann', 'ben', 'cleo'])).not.toBeNull();
  // Redis lost its data when it stopped, so it contains only messages that were written later.
  expect(await seenBy(other, site, ['cleo'])).not.toBeNull();
});
