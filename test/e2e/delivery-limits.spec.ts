import { TestApi } from '../support/api';
import { Maker } from '../support/scene';

/* Rate limits of the routes for websites and their back ends. */

const LIMIT = 3;

let api: TestApi;
let keys: string[];

beforeAll(async () => {
  api = await TestApi.start({ DELIVERY_LIMIT_PER_MINUTE: String(LIMIT), TRUST_PROXY: '127.0.0.1' });
  const { people, teamId } = await api.world();
  keys = [];
  for (let index = 0; index < 12; index += 1) {
    const { project } = new Maker(people.admin.client, `/projects/${await api.project(teamId)}`);
    keys.push((await people.admin.client.get(project)).body.client_key as string);
  }
});
afterAll(() => api.close());

let addresses = 0;
const newAddress = (): string => `10.9.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;

const decide = (key: string, from: string) =>
  api.as(null).post('//v1/decide', {}, { authorization: `Bearer ${key}`, 'x-forwarded-for': from });

async function statusesOf(count: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses = [];
  for (let index = 0; index < count; index += 1) {
    statuses.push((await send()).status);
  }
  return statuses;
}

it('delivery limits apply to each combination of key and address', async () => {
  const from = newAddress();
  expect(await statusesOf(5, () => decide(keys[0], from))).toEqual([200, 200, 200, 429, 429]);
  expect(await statusesOf(4, () => decide(keys[1], from))).toEqual([200, 200, 200, 429]);
  const other = newAddress();
  expect(await statusesOf(4, () => decide(keys[0], other))).toEqual([200, 200, 200, 429]);
});

it('delivery limits appear in the headers of rejected requests only', async () => {
  const from = newAddress();
  const good = await decide(keys[2], from);
  expect(Object.keys(good.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  await statusesOf(2, () => decide(keys[2], from));
  const { status, body, headers } = await decide(keys[2], from);
  expect([status, body]).toEqual([429, { message: 'Too Many Attempts.', code: 'RATE_LIMITED' }]);
  expect(headers).toMatchObject({
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '0',
    'access-control-allow-origin': '*',
  });
  const seconds = Number(headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(55);
  expect(seconds).toBeLessThanOrEqual(60);
  const reset = Number(headers['x-ratelimit-reset']);
  expect(Math.abs(reset - Date.now() / 1000 - seconds)).toBeLessThan(3);
});

it('delivery limits apply to all routes together, wherever the key is sent', async () => {
  const [key, from] = [keys[3], newAddress()];
  const client = api.as(null);
  const headers = { 'x-forwarded-for': from };
  const requests = [
    () => client.post('//v1/batch', { writeKey: key, batch: [] }, headers),
    () => client.get(`//api/features/${key}`, headers),
    () => client.get(`//s/${key}.js`, headers),
    () => client.post('//v1/batch', { writeKey: key, batch: [] }, headers),
    () => client.get(`//api/features/${key}`, headers),
    () => client.get(`//s/${key}.js`, headers),
    () => client.get(`//s/${key}/1.js`, headers),
    () => client.post(`//api/eval/${key}`, {}, headers),
    () => client.post(`//track?client_key=${key}`, [], headers),
    () => client.post('//v1/track', {}, { ...headers, 'x-api-key': key }),
    () => client.post('//v1/decide', {}, { ...headers, authorization: `Basic ${btoa(`${key}:`)}` }),
    () => client.post('//ofrep/v1/evaluate/flags', {}, { ...headers, authorization: `Bearer ${key}` }),
    () => client.post('//ofrep/v1/evaluate/flags/x', {}, { ...headers, authorization: `Bearer ${key}` }),
  ];
  const statuses = [];
  for (const request of requests) {
    statuses.push((await request()).status);
  }
  expect(statuses).toEqual([200, 200, 200, ...Array.from({ length: 10 }, () => 429)]);
});

it('delivery limits are shared by unknown keys and missing keys', async () => {
  const from = newAddress();
  const invented = (): string => `pk_${String(Math.random()).slice(2, 12)}`;
  expect(await statusesOf(2, () => decide(invented(), from))).toEqual([401, 401]);
  const none = { 'x-forwarded-for': from };
  expect(await statusesOf(2, () => api.as(null).post('//v1/decide', {}, none))).toEqual([401, 429]);
  expect(await statusesOf(2, () => decide(invented(), from))).toEqual([429, 429]);
  expect((await api.as(null).get(`//s/${invented()}.js`, none)).status).toBe(429);
  // Clients with a known key are not affected.
  await decide(keys[4], newAddress());
  expect(await statusesOf(4, () => decide(keys[4], from))).toEqual([200, 200, 200, 429]);
});

it('delivery limits count a request with a valid key only towards the limit of that key', async () => {
  const from = newAddress();
  for (const key of keys.slice(5, 10)) {
    expect((await decide(key, from)).status).toBe(200);
  }
});

it('delivery limits treat an IPv6 network as one address', async () => {
  const at = (host: string) => decide(keys[10], `2001:db8:1:2::${host}`);
  expect(await statusesOf(3, () => at('1'))).toEqual([200, 200, 200]);
  expect([(await at('2')).status, (await at('ffff')).status]).toEqual([429, 429]);
  expect((await decide(keys[10], '2001:db8:1:3::1')).status).toBe(200);
});

it('delivery limits do not count CORS preflights', async () => {
  const from = { 'x-forwarded-for': newAddress() };
  const ask = () =>
    api.app.inject({ method: 'OPTIONS', url: `/v1/decide?client_key=${keys[11]}`, headers: from });
  for (let round = 0; round < 10; round += 1) {
    expect((await ask()).statusCode).toBe(204);
  }
  expect((await api.as(null).post('//v1/decide', {}, { ...from, 'x-api-key': keys[11] })).status).toBe(200);
});

it('delivery limits do not apply to requests with a token', async () => {
  const person = await api.person();
  expect(await statusesOf(6, () => person.client.get('/teams'))).toEqual([200, 200, 200, 200, 200, 200]);
});

it('delivery limits are disabled if the limit is 0', async () => {
  const unlimited = await api.sibling({ DELIVERY_LIMIT_PER_MINUTE: '0' });
  const send = () => unlimited.as(null).post('//v1/decide', {}, { authorization: `Bearer ${keys[0]}` });
  expect(new Set(await statusesOf(20, send))).toEqual(new Set([200]));
  await unlimited.close();
});
