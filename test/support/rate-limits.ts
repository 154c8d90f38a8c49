import { randomInt } from 'node:crypto';
import { Person, TestApi } from './api';
import type { Answer } from './client';

const REDIS_URL = process.env.TEST_REDIS_URL;

/** The environment of servers that share their counts in Redis, if it is available. */
export const redis: Record<string, string> = REDIS_URL === undefined ? {} : { REDIS_URL };

/** Starts a server with user ids that are unique across test runs, because counts in Redis outlive a test run. */
export async function startLimited(environment: Record<string, string>): Promise<TestApi> {
  const started = await TestApi.start({ TRUST_PROXY: '127.0.0.1', ...environment });
  await started.database.writer.query(
    `INSERT INTO users (id, email, name, teams_version, created_at, updated_at) VALUES (?, 'first@example.com', 'First', 1, 0, 0)`,
    [randomInt(1_000_000, 2_000_000_000)],
  );
  return started;
}

/** The headers of a client with a new address. */
export const someAddress = (): Record<string, string> => ({
  'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
});

/** Sends this many requests one after another. @returns their statuses */
export async function statusesOf(count: number, request: () => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    statuses.push((await request()).status);
  }
  return statuses;
}

export const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

/** The rate limit headers of a response. */
export const headersOf = ({ headers }: Answer): Record<string, string | undefined> => ({
  limit: headers['x-ratelimit-limit'],
  remaining: headers['x-ratelimit-remaining'],
});

export const list = ({ client }: Person) => client.get('/teams');
