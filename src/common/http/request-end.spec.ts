import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { onRequestEnd } from './request-end';

/* Requests whose client closes the connection while the server is working. */

let server: FastifyInstance;
let ends: [url: string, isAborted: boolean][];
/** Ends the work of the slow route. */
let finish: () => void;
let begun: Promise<unknown>;

beforeEach(() => {
  ends = [];
  server = Fastify({ forceCloseConnections: true });
  onRequestEnd(server, ({ url }, _reply, { isAborted }) => ends.push([url, isAborted]));
  const work = new Promise<string>((resolve) => (finish = () => resolve('done')));
  begun = new Promise((resolve) => {
    server.get('/slow', () => (resolve(null), work));
  });
  server.get('/fast', () => 'done');
});
afterEach(() => server.close());

async function aborted(): Promise<void> {
  const address = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect({ host: address.hostname, port: Number(address.port) });
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await begun;
  socket.destroy();
  await once(socket, 'close');
}

it('are reported once, even if the work ends later', async () => {
  await aborted();
  while (ends.length === 0) {
    await new Promise(setImmediate);
  }
  finish();
  expect((await server.inject('/fast')).statusCode).toBe(200);
  expect(ends).toEqual([
    ['/slow', true],
    ['/fast', false],
  ]);
});

it('all other requests are reported once, also if no route matches', async () => {
  await server.inject('/fast');
  await server.inject('/none');
  expect(ends).toEqual([
    ['/fast', false],
    ['/none', false],
  ]);
});
