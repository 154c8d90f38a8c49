import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { chooseCoding, compressBodies } from './compression';

const LONG = 'All orders. '.repeat(200);
let server: FastifyInstance;
let events: PassThrough;

beforeAll(async () => {
  server = new FastifyAdapter().getInstance();
  chooseCoding(server);
  compressBodies(server);
  const answer = (path: string, headers: Record<string, string>, body: () => unknown = () => LONG): void => {
    server.get(path, (_, reply) => reply.headers(headers).send(body()));
  };
  answer('/events', { 'content-type': 'text/event-stream' }, () => events);
  answer('/stream', { 'content-type': 'text/plain' }, () => new PassThrough().end(LONG));
  answer('/text', { 'content-type': 'text/plain; charset=utf-8' });
  answer('/svg', { 'content-type': 'image/svg+xml' });
  answer('/problem', { 'content-type': 'application/problem+json' });
  answer('/png', { 'content-type': 'image/png' });
  answer('/octets', { 'content-type': 'application/octet-stream' });
  answer('/coded', { 'content-type': 'text/plain', 'content-encoding': 'zstd' });
  answer('/as-it-is', { 'content-type': 'text/plain', 'cache-control': 'no-store, no-transform' });
  answer('/anything', { 'content-type': 'text/plain', vary: '*' });
  answer('/origin', { 'content-type': 'text/plain', vary: 'Origin' });
  answer('/short', { 'content-type': 'text/plain' }, () => 'x'.repeat(1_024));
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

const get = (url: string) => server.inject({ url, headers: { 'accept-encoding': 'gzip' } });

it.each([
  ['/text', 'gzip'],
  ['/svg', 'gzip'],
  ['/problem', 'gzip'],
  ['/png', undefined],
  ['/octets', undefined],
  ['/coded', 'zstd'],
  ['/as-it-is', undefined],
  ['/stream', undefined],
  ['/short', undefined],
])('%s is sent with content coding %p', async (url, coding) => {
  expect((await get(url)).headers['content-encoding']).toBe(coding);
});

it('adds missing entries to Vary', async () => {
  const varies = ['/text', '/origin', '/anything', '/short'].map(
    async (url) => (await get(url)).headers.vary,
  );
  expect(await Promise.all(varies)).toEqual([
    'Accept-Encoding',
    'Origin, Accept-Encoding',
    '*',
    'Accept-Encoding',
  ]);
});

it('sends an event immediately', async () => {
  events = new PassThrough();
  const { port } = server.server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/events`, { headers: { 'accept-encoding': 'br, gzip' } });
  events.write('data: first\n\n');
  const { headers, body } = await asked;
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const next = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
  expect([headers.get('content-encoding'), await next()]).toEqual([null, 'data: first\n\n']);
  events.write('data: second\n\n');
  expect(await next()).toBe('data: second\n\n');
  events.end();
  expect((await reader.read()).done).toBe(true);
});
