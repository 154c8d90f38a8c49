import type { TestApi } from '../support/api';
import type { Client } from '../support/client';
import { headersOf, list, redis, someAddress, startLimited, statusesOf, times } from '../support/rate-limits';

/* The routes that count against rate limits, and those that do not. */

let api: TestApi;
beforeAll(async () => {
  api = await startLimited(redis);
});
afterAll(() => api.close());

describe('a path without a route', () => {
  const cases: [status: number, method: 'GET' | 'PUT' | 'POST', path: string][] = [
    [404, 'GET', '/nothing'],
    [404, 'GET', '/projects/1/nothing'],
    [404, 'POST', ''],
    [405, 'PUT', '/teams'],
    [405, 'GET', '//mcp'],
  ];

  it.each(cases)("counts against the user's limit: %d %s %s", async (status, method, path) => {
    const person = await api.person(3);
    const wrong = () => person.client.send(method, path);
    expect(headersOf(await wrong())).toEqual({ limit: '3', remaining: '2' });
    expect(await statusesOf(3, wrong)).toEqual([status, status, 429]);
    expect((await list(person)).status).toBe(429);
    const refused = await wrong();
    expect(refused.body).toEqual({ message: 'Too Many Attempts.', code: 'RATE_LIMITED' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it.each(cases)('counts by address without a valid token: %d %s %s', async (status, method, path) => {
    const headers = someAddress();
    const wrong = () => api.as(null).send(method, path, undefined, headers);
    expect(await statusesOf(61, wrong)).toEqual([...times(60, status), 429]);
    expect((await api.as(null).get('/teams', headers)).status).toBe(429);
  });

  it('has no limit headers for a user without a limit', async () => {
    const person = await api.person(0);
    const answer = await person.client.get('/nothing');
    expect([answer.status, headersOf(answer).limit]).toEqual([404, undefined]);
  });
});

describe('requests that are not counted:', () => {
  const paths = ['//health/live', '//docs/openapi.json', '//nothing'];

  it.each(paths)('%s with a token', async (path) => {
    const person = await api.person(1);
    const status = (await person.client.get(path)).status;
    expect(await statusesOf(5, () => person.client.get(path))).toEqual(times(5, status));
    expect((await list(person)).status).toBe(200);
  });

  it.each(paths)('%s without a token', async (path) => {
    const headers = someAddress();
    const client: Client = api.as(null);
    const { status, headers: sent } = await client.get(path, headers);
    expect(sent['x-ratelimit-limit']).toBeUndefined();
    expect(await statusesOf(65, () => client.get(path, headers))).toEqual(times(65, status));
    expect((await client.get('/teams', headers)).status).toBe(401);
  });
});
