import fastify, { FastifyInstance } from 'fastify';
import { openToAllSites } from '../../common/http/open-routes';
import { DeliveryLimit } from './delivery-limit';
import { FixedWindowCounter, WINDOW_MS } from './fixed-window';

describe('DeliveryLimit', () => {
  let now: number;
  let counter: FixedWindowCounter;
  let server: FastifyInstance;

  beforeEach(() => {
    now = 1_700_000_000_000;
    counter = new FixedWindowCounter(() => now);
    server = fastify();
    openToAllSites(server);
    new DeliveryLimit(2, counter).watch(server);
    server.post('/take', async (_request, reply) => reply.code(204).send());
    server.post('/refuse', async (_request, reply) => reply.code(401).send());
    server.get('/s/:file', async () => 'script');
  });
  afterEach(() => server.close());

  const take = async (key: string, url = '/take'): Promise<number> =>
    (await server.inject({ method: 'POST', url, headers: { 'x-api-key': key } })).statusCode;

  it('begins anew when the window ends, and not before', async () => {
    expect([await take('a'), await take('a'), await take('a')]).toEqual([204, 204, 429]);
    now += WINDOW_MS - 1;
    expect(await take('a')).toBe(429);
    now += 1;
    expect(await take('a')).toBe(204);
  });

  it('keeps one count for all keys that are nobody’s', async () => {
    for (let index = 0; index < 50; index += 1) {
      await take(`invented-${index}`, '/refuse');
    }
    expect(counter.size).toBe(1);
  });

  it('takes a key in the file name for the same as elsewhere', async () => {
    const load = async (): Promise<number> => (await server.inject({ url: '/s/a.js' })).statusCode;
    expect([await take('a'), await load(), await load(), await take('a')]).toEqual([204, 200, 429, 429]);
  });

  it('takes the key that a body has', async () => {
    const send = async (): Promise<number> =>
      (await server.inject({ method: 'POST', url: '/take', payload: { writeKey: 'a' } })).statusCode;
    expect([await take('a'), await send(), await take('b'), await send()]).toEqual([204, 204, 204, 429]);
  });
});
