import { isDeepStrictEqual } from 'node:util';
import { Person } from '../support/api';
import { RedisProcess } from '../support/redis-process';
import { useScene } from '../support/scene';
import { ServerProcess } from '../support/server-process';
import { until } from '../support/waiting';

/*
 * A rate limit that three processes share in Redis. The limit must be exact while Redis responds, and an outage must
 * not reset the count.
 */

const LIMIT = 60;
const WARNING = /Redis is unavailable/;

const scene = useScene();
let redis: RedisProcess;
let servers: ServerProcess[];

beforeAll(async () => {
  redis = await RedisProcess.start();
  const environment = { DATABASE_URL: scene.api.databaseUrl, REDIS_URL: redis.url, WORKER: 'off' };
  servers = [];
  // The servers start one after another, because each start uses all cores of a small machine.
  for (let count = 0; count < 3; count += 1) {
    servers.push(await (await ServerProcess.spawn(environment)).ready());
  }
}, 120_000);
afterAll(async () => {
  servers.forEach((server) => server.kill('SIGKILL'));
  await Promise.all(servers.map(({ exit }) => exit));
  await redis.stop();
});

async function read(server: ServerProcess, { token }: Person): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.address}/api/teams`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends `count` concurrent requests to each server. @returns the number of accepted requests; all others got 429 */
async function burst(count: number, person: Person, to: readonly ServerProcess[]): Promise<number> {
  const requests = Array.from({ length: count }, () => to.map((server) => read(server, person))).flat();
  const statuses = await Promise.all(requests);
  expect(new Set([...statuses, 200, 429])).toEqual(new Set([200, 429]));
  return statuses.filter((status) => status === 200).length;
}

/** Waits until all servers share their counts again. */
async function untilShared(): Promise<void> {
  const expected = servers.map((_, index) => String(LIMIT - 1 - index));
  await until(async () => isDeepStrictEqual(await remaining(), expected), 'shared counts');
}

/** Sends one request from a new user to each server in turn. @returns the remaining requests that the servers report */
async function remaining(): Promise<(string | null)[]> {
  const { token } = await scene.api.person(LIMIT);
  const left: (string | null)[] = [];
  for (const { address } of servers) {
    const answer = await fetch(`${address}/api/teams`, { headers: { authorization: `Bearer ${token}` } });
    left.push(answer.headers.get('x-ratelimit-remaining'));
  }
  return left;
}

it('the processes together accept exactly as many requests of a burst as the limit allows', async () => {
  await untilShared();
  for (let round = 0; round < 3; round += 1) {
    expect(await burst(LIMIT, await scene.api.person(LIMIT), servers)).toBe(LIMIT);
  }
});

it('each process continues from the shared count while Redis is stopped, and shares its count again afterwards', async () => {
  await untilShared();
  const person = await scene.api.person(LIMIT);
  expect(await burst(15, person, servers)).toBe(45);
  // The count that each process has last seen is the shared count or slightly lower.
  for (const server of servers) {
    expect(await read(server, person)).toBe(200);
  }
  redis.kill('SIGSTOP');
  const admitted: number[] = [];
  for (const server of servers) {
    admitted.push(await burst(LIMIT, person, [server]));
  }
  expect(admitted).toEqual([LIMIT - 46, LIMIT - 47, LIMIT - 48]);
  expect(servers.map(({ stdout }) => WARNING.test(stdout))).toEqual([true, true, true]);
  redis.kill('SIGCONT');
  await untilShared();
  expect(await burst(10, person, servers)).toBe(0);
});

it('the count does not restart at zero when Redis is killed and restarted', async () => {
  await untilShared();
  const person = await scene.api.person(LIMIT);
  expect(await burst(LIMIT / 3, person, servers)).toBe(LIMIT);
  // After one more request, each process has seen the full count.
  expect(await burst(1, person, servers)).toBe(0);
  await redis.restart();
  expect(await burst(10, person, servers)).toBe(0);
  await untilShared();
  expect(await burst(10, person, servers)).toBe(0);
});
