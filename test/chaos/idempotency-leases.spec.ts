import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newKey } from '../support/keys';
import { anotherProject, Made, useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';

/* A request with an `Idempotency-Key` is executed once, even if its process is killed, stopped or slow. */

const LEASE_MS = 10_000;
const PRELOAD = join(__dirname, '../support/hold-work.cjs');

const scene = useScene();
let folder: string;
let goals: string;
let key: { 'idempotency-key': string };
let slow: ServerProcess;
let other: ServerProcess;

beforeAll(async () => {
  other = await start({});
});
afterAll(async () => {
  other.kill('SIGKILL');
  await other.exit;
});

beforeEach(async () => {
  goals = `${(await anotherProject(scene)).project}/goals`;
  key = newKey();
  folder = mkdtempSync(join(tmpdir(), 'gosset-lease-'));
  slow = await start({
    NODE_OPTIONS: `--require ${PRELOAD}`,
    HELD_FILE: file('held'),
    RELEASE_FILE: file('release'),
  });
});
afterEach(async () => {
  slow.kill('SIGKILL');
  await slow.exit;
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);

async function start(environment: Record<string, string>): Promise<ServerProcess> {
  const variables = { DATABASE_URL: scene.api.databaseUrl, WORKER: 'off', LOG_LEVEL: 'silent' };
  return (await ServerProcess.spawn({ ...variables, ...environment })).ready();
}

interface Told {
  status: number;
  text: string;
  isReplayed: boolean;
}

async function post(server: ServerProcess): Promise<Told> {
  const answer = await fetch(`${server.address}/api${goals}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${scene.world.people.admin.token}`,
      'content-type': 'application/json',
      ...key,
    },
    body: JSON.stringify({ name: 'Goal' }),
  });
  const isReplayed = answer.headers.get('idempotency-replayed') === 'true';
  return { status: answer.status, text: await answer.text(), isReplayed };
}

/** Sends a request to the slow process, and waits until that process has claimed the key. */
async function begin(): Promise<{ told: Promise<Told | null> }> {
  const told = post(slow).catch(() => null);
  await until(() => existsSync(file('held')), 'a request that is held');
  return { told };
}

/** Retries the request on the other process until it succeeds. */
async function repeatUntilDone(): Promise<{ refusals: Set<number>; done: Told }> {
  const refusals = new Set<number>();
  for (;;) {
    const told = await post(other);
    if (told.status < 400) {
      return { refusals, done: told };
    }
    refusals.add(told.status);
    await sleep(200);
  }
}

const stored = async (): Promise<Made[]> => (await scene.client.get(goals)).body as Made[];

it('the claim of a killed process expires, and the request is executed once', async () => {
  const answer = await begin();
  slow.kill('SIGKILL');
  await slow.exit;
  expect(await answer.told).toBeNull();
  const { refusals, done } = await repeatUntilDone();
  expect([[...refusals], done.status, done.isReplayed]).toEqual([[409], 201, false]);
  expect(await post(other)).toEqual({ ...done, isReplayed: true });
  expect(await stored()).toHaveLength(1);
});

it('a stopped process that is resumed after its lease has expired stores nothing', async () => {
  const answer = await begin();
  slow.kill('SIGSTOP');
  const { refusals, done } = await repeatUntilDone();
  expect([[...refusals], done.status, done.isReplayed]).toEqual([[409], 201, false]);
  slow.kill('SIGCONT');
  writeFileSync(file('release'), '');
  expect((await answer.told)?.status).toBe(409);
  expect(await post(slow)).toEqual({ ...done, isReplayed: true });
  expect(await stored()).toHaveLength(1);
});

it('a slow process keeps its claim for longer than one lease', async () => {
  const answer = await begin();
  const until = Date.now() + 1.5 * LEASE_MS;
  const refusals = new Set<number>();
  while (Date.now() < until) {
    refusals.add((await post(other)).status);
    await sleep(500);
  }
  writeFileSync(file('release'), '');
  const done = await answer.told;
  expect([[...refusals], done?.status, done?.isReplayed]).toEqual([[409], 201, false]);
  expect(await post(other)).toEqual({ ...done, isReplayed: true });
  expect(await stored()).toHaveLength(1);
});
