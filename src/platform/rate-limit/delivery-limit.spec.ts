import fastify, { FastifyInstance } from 'fastify';
import { fakeDate } from '../../../test/support/fake-date';
import type { KeyPlace } from '../../common/http/client-key';
import { acceptDeliveryBodies } from '../../common/http/delivery-body';
import { addRoute, checksAccess, type RawHandler } from '../../common/http/raw-routes';
import { DeliveryLimit } from './delivery-limit';
import { MemoryWindow, WINDOW_MS } from './rate-window';

describe('DeliveryLimit', () => {
  const start = 1_700_000_000_000;
  let window: MemoryWindow;
  let server: FastifyInstance;

  beforeEach(() => {
    fakeDate(start);
    window = new MemoryWindow();
    server = fastify();
    acceptDeliveryBodies(server);
    checksAccess(server, 'client-key');
    server.decorateRequest('clientKey', null);
    new DeliveryLimit(2, window).watch(server);
    const add = (method: 'GET' | 'POST', path: string, keyIn: KeyPlace, handler: RawHandler): void =>
      addRoute(server, { method, path, keyIn, access: 'client-key', handler });
    add('POST', '/take', 'headers', async (_request, reply) => reply.code(204).send());
    add('POST', '/take-body', 'body', async (_request, reply) => reply.code(204).send());
    add('POST', '/refuse', 'headers', async (_request, reply) => reply.code(401).send());
    add('GET', '/s/:file', 'file', async () => 'script');
  });
  afterEach(async () => {
    jest.useRealTimers();
    await server.close();
  });

  const take = async (key: string, url = '/take'): Promise<number> =>
    (await server.inject({ method: 'POST', url, headers: { 'x-api-key': key } })).statusCode;

  it('starts a new count when the window ends, but not earlier', async () => {
    expect([await take('a'), await take('a'), await take('a')]).toEqual([204, 204, 429]);
    jest.setSystemTime(start + WINDOW_MS - 1);
    expect(await take('a')).toBe(429);
    jest.setSystemTime(start + WINDOW_MS);
    expect(await take('a')).toBe(204);
  });

  it('shares one count for all unknown keys', async () => {
    for (let index = 0; index < 50; index += 1) {
      await take(`invented-${index}`, '/refuse');
    }
    expect(window.size).toBe(1);
  });

  it('counts a key in the file name together with the same key in a header', async () => {
    const load = async (): Promise<number> => (await server.inject({ url: '/s/a.js' })).statusCode;
    expect([await take('a'), await load(), await load(), await take('a')]).toEqual([204, 200, 429, 429]);
  });

  it('reads the key from the body if the route declares it', async () => {
    const send = async (url: string): Promise<number> =>
      (
        await server.inject({
          method: 'POST',
          url,
          payload: { writeKey: 'a' },
          headers: { 'x-api-key': 'c' },
        })
      ).statusCode;
    const body = (): Promise<number> => send('/take-body');
    expect([await take('a'), await body(), await take('b'), await body()]).toEqual([204, 204, 204, 429]);
    expect([await send('/take'), await send('/take'), await send('/take')]).toEqual([204, 204, 429]);
  });
});
