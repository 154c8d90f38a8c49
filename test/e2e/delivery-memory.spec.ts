import { TestApi } from '../support/api';
import type { Answer } from '../support/client';
import { heapUsed } from '../support/heap';
import { Maker } from '../support/scene';

/* Memory that requests leave behind. The rate limits remember their keys, which are parts of bodies, paths and headers. */

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await TestApi.start({ TRUST_PROXY: '127.0.0.1' });
  const { people, teamId } = await api.world();
  const { project } = new Maker(people.admin.client, `/projects/${await api.project(teamId)}`);
  key = (await people.admin.client.get(project)).body.client_key as string;
});
afterAll(() => api.close());

let clients = 0;
/** Each client has its own rate limit. The address is long enough for V8 to keep it as a part of its header. */
const newAddress = (): string => {
  clients += 1;
  return `203.100.${100 + Math.floor(clients / 100)}.${100 + (clients % 100)}`;
};

const get = (path: string, from: string): Promise<Answer> =>
  api.as(null).get(`//${path}`, { 'x-forwarded-for': from });

it.each<[string, number, number, (filler: string) => Promise<Answer>]>([
  [
    'the body after the client key',
    100,
    500_000,
    (filler) =>
      api
        .as(null)
        .post('//v1/batch', { writeKey: `${key}:${filler}`, batch: [] }, { 'x-forwarded-for': newAddress() }),
  ],
  ['the query of a script', 1_500, 14_000, (filler) => get(`s/${key}.js?${filler}`, newAddress())],
  ['the query of a payload', 1_500, 14_000, (filler) => get(`api/features/${key}?${filler}`, newAddress())],
  ['the addresses of proxies', 1_500, 14_000, (filler) => get(`s/${key}.js`, `${filler}, ${newAddress()}`)],
])('is not kept: %s', async (_, count, size, send) => {
  const filler = 'x'.repeat(size);
  const { status } = await send(filler);
  expect([200, 422]).toContain(status);
  const before = heapUsed();
  for (let index = 0; index < count; index += 1) {
    await send(filler);
  }
  expect(heapUsed() - before).toBeLessThan((count * size) / 4);
});
