import type { TestApi } from '../support/api';
import type { Answer } from '../support/client';
import { fakeDate } from '../support/fake-date';
import { headersOf, list, redis, someAddress, startLimited, statusesOf, times } from '../support/rate-limits';

let api: TestApi;
beforeAll(async () => {
  api = await startLimited(redis);
});
afterAll(() => api.close());

describe('a user', () => {
  it('can send 60 requests a minute by default', async () => {
    const person = await api.person(null);
    expect(await statusesOf(61, () => list(person))).toEqual([...times(60, 200), 429]);
  });

  it('has the default limit from the server configuration', async () => {
    const other = await api.sibling({ RATE_LIMIT_PER_MINUTE: '3' });
    const person = await api.person(null);
    expect(await statusesOf(4, () => other.as(person.token).get('/teams'))).toEqual([200, 200, 200, 429]);
    await other.close();
  });

  it('can have an individual limit', async () => {
    const person = await api.person(2);
    expect(await statusesOf(3, () => list(person))).toEqual([200, 200, 429]);
  });

  it('can be unlimited, without limit headers', async () => {
    const person = await api.person(0);
    expect(await statusesOf(130, () => list(person))).toEqual(times(130, 200));
    expect(headersOf(await list(person))).toEqual({ limit: undefined, remaining: undefined });
  });

  it('has one limit for all tokens, routes and methods together', async () => {
    const person = await api.person(9);
    const second = api.as(await api.token(person.id, 'read'));
    const team = await api.team();
    await api.join(team, person, 'admin');
    const project = `/projects/${await api.project(team)}`;
    const requests: [expected: number, request: () => Promise<Answer>][] = [
      [200, () => person.client.get('/teams')],
      [200, () => second.get(`/teams/${team}/projects`)],
      [201, () => person.client.post(`${project}/goals`, { name: 'Goal' })],
      [403, () => second.post(`${project}/goals`, { name: 'Goal' })],
      [404, () => second.get('/projects/2147483647')],
      [422, () => person.client.patch(project, { significance: 0 })],
      [400, () => person.client.patch(project, '{')],
      [412, () => person.client.patch(project, {}, { 'if-match': '"other"' })],
      [200, () => second.send('HEAD', project)],
      [429, () => second.get('/teams')],
      [429, () => person.client.delete(project)],
    ];
    const statuses = [];
    for (const [, request] of requests) {
      statuses.push((await request()).status);
    }
    expect(statuses).toEqual(requests.map(([expected]) => expected));
  });

  it('does not use up the limit of another user', async () => {
    const [first, second] = [await api.person(1), await api.person(1)];
    expect(await statusesOf(2, () => list(first))).toEqual([200, 429]);
    expect(await statusesOf(2, () => list(second))).toEqual([200, 429]);
  });

  it('stays within the limit with concurrent requests', async () => {
    const person = await api.person(10);
    const answers = await Promise.all(Array.from({ length: 30 }, () => list(person)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });
});

describe('the headers', () => {
  it('contain the remaining requests and the end of the minute', async () => {
    const person = await api.person(3);
    const before = Math.floor(Date.now() / 1000);
    const answers = [await list(person), await list(person), await list(person)];
    expect(answers.map(headersOf)).toEqual(['2', '1', '0'].map((remaining) => ({ limit: '3', remaining })));
    const resets = answers.map(({ headers }) => Number(headers['x-ratelimit-reset']));
    expect(Math.max(...resets) - Math.min(...resets)).toBeLessThanOrEqual(1);
    expect(resets[0]).toBeGreaterThanOrEqual(before + 59);
    expect(resets[0]).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 61);
  });

  it('are also sent with errors', async () => {
    const person = await api.person(3);
    const missing = await person.client.get('/projects/2147483647');
    expect([missing.status, headersOf(missing)]).toEqual([404, { limit: '3', remaining: '2' }]);
  });

  it('of a 429 response contain the time to wait', async () => {
    const person = await api.person(1);
    await list(person);
    const { status, body, headers } = await list(person);
    expect([status, body]).toEqual([429, { message: 'Too Many Attempts.', code: 'RATE_LIMITED' }]);
    expect(headersOf({ status, body, headers, text: '' })).toEqual({ limit: '1', remaining: '0' });
    const wait = Number(headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    const untilReset = Number(headers['x-ratelimit-reset']) - Date.now() / 1000;
    expect(Math.abs(untilReset - wait)).toBeLessThanOrEqual(2);
  });
});

describe('304 responses', () => {
  it.each(['GET', 'HEAD'] as const)('are not counted: %s', async (method) => {
    const person = await api.person(3);
    const { etag = '' } = (await list(person)).headers;
    const same = () => person.client.send(method, '/teams', undefined, { 'if-none-match': etag });
    expect(await statusesOf(20, same)).toEqual(times(20, 304));
    expect(headersOf(await same())).toEqual({ limit: '3', remaining: '2' });
    expect(await statusesOf(3, () => list(person))).toEqual([200, 200, 429]);
  });

  it.each(['*', '"other", *'])('are counted if the ETag is a wildcard: %s', async (tag) => {
    const person = await api.person(3);
    const any = () => person.client.get('/teams', { 'if-none-match': tag });
    expect(await statusesOf(4, any)).toEqual([304, 304, 304, 429]);
  });

  it('are the only exception: requests whose ETag does not match are counted', async () => {
    const person = await api.person(2);
    const other = () => person.client.get('/teams', { 'if-none-match': '"other"' });
    expect(await statusesOf(3, other)).toEqual([200, 200, 429]);
  });
});

describe('callers without a valid token', () => {
  const anonymous = (token: string | null, headers: Record<string, string>) =>
    api.as(token).get('/teams', headers);

  it('get 60 responses with 401, then 429', async () => {
    const headers = someAddress();
    expect(await statusesOf(62, () => anonymous(null, headers))).toEqual([...times(60, 401), 429, 429]);
    const { body, headers: sent } = await anonymous(null, headers);
    expect(body).toEqual({ message: 'Too Many Attempts.', code: 'RATE_LIMITED' });
    expect(Number(sent['retry-after'])).toBeGreaterThan(0);
    expect(sent['x-ratelimit-limit']).toBe('60');
  });

  it('share one limit per address, whatever their tokens', async () => {
    const headers = someAddress();
    const { token } = await api.person();
    const wrong = [null, 'x', `gos_${'a'.repeat(46)}`, token.slice(0, -1)];
    let turn = 0;
    const guess = () => anonymous(wrong[(turn += 1) % wrong.length] ?? null, headers);
    expect(await statusesOf(61, guess)).toEqual([...times(60, 401), 429]);
    expect((await anonymous(null, someAddress())).status).toBe(401);
  });

  it('do not affect a user at the same address', async () => {
    const headers = someAddress();
    await statusesOf(61, () => anonymous(null, headers));
    const person = await api.person(5);
    expect((await person.client.get('/teams', headers)).status).toBe(200);
  });

  it("have their own limit, regardless of the users' limit", async () => {
    const other = await api.sibling({ RATE_LIMIT_PER_MINUTE: '0', TRUST_PROXY: '127.0.0.1' });
    const headers = someAddress();
    const statuses = await statusesOf(61, () => other.as(null).get('/teams', headers));
    expect(statuses).toEqual([...times(60, 401), 429]);
    await other.close();
  });

  it('cannot forge their address without a trusted proxy', async () => {
    const other = await api.sibling();
    const statuses = await statusesOf(61, () => other.as(null).get('/teams', someAddress()));
    expect(statuses).toEqual([...times(60, 401), 429]);
    await other.close();
  });
});

describe('several processes', () => {
  it('share one count through Redis, and count separately without it', async () => {
    const other = await api.sibling(redis);
    const person = await api.person(10);
    const [here, there] = [person.client, other.as(person.token)];
    const statuses = await statusesOf(6, () => here.get('/teams'));
    statuses.push(...(await statusesOf(6, () => there.get('/teams'))));
    const isShared = 'REDIS_URL' in redis;
    expect(statuses).toEqual([...times(10, 200), ...times(2, isShared ? 429 : 200)]);
    expect((await statusesOf(5, () => here.get('/teams'))).at(-1)).toBe(429);
    await other.close();
  });

  it('do not share the count with another deployment on the same Redis', async () => {
    const stranger = await api.sibling({ ...redis, SESSION_SECRET: 'x'.repeat(40) });
    const person = await api.person(2);
    expect(await statusesOf(3, () => list(person))).toEqual([200, 200, 429]);
    expect(await statusesOf(2, () => stranger.as(person.token).get('/teams'))).toEqual([200, 200]);
    await stranger.close();
  });

  it('share the refund of a 304 response', async () => {
    const other = await api.sibling(redis);
    const person = await api.person(3);
    const { etag = '' } = (await list(person)).headers;
    const there = other.as(person.token);
    expect(await statusesOf(9, () => there.get('/teams', { 'if-none-match': etag }))).toEqual(times(9, 304));
    expect(await statusesOf(3, () => list(person))).toEqual([200, 200, 429]);
    await other.close();
  });
});

describe('the minute', () => {
  afterEach(() => jest.useRealTimers());

  it('ends, and the count starts again', async () => {
    fakeDate(Date.now());
    const other = await startLimited({});
    const person = await other.person(2);
    expect(await statusesOf(3, () => list(person))).toEqual([200, 200, 429]);
    jest.setSystemTime(Date.now() + 59_000);
    const late = await list(person);
    expect([late.status, Number(late.headers['retry-after'])]).toEqual([429, 1]);
    jest.setSystemTime(Date.now() + 1_000);
    expect(await statusesOf(3, () => list(person))).toEqual([200, 200, 429]);
    await other.close();
  });
});
