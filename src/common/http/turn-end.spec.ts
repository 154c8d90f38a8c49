import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { addRoute } from './raw-routes';
import { sendTogether, untilTurnEnds } from './turn-end';

const CLIENTS = 4;

async function connected(server: FastifyInstance): Promise<Socket> {
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: example.com\r\n\r\n`;

/** The steps of all requests to a path that arrive in the same turn of the event loop, in order. */
async function stepsOf(path: string): Promise<string> {
  const steps: string[] = [];
  const server = fastify();
  sendTogether(server);
  server.addHook('onRequest', async () => void steps.push('read'));
  server.addHook('onResponse', async () => void steps.push('sent'));
  const answer = async (): Promise<string> => {
    steps.push('answered');
    return 'Hello';
  };
  server.get('/at-once', answer);
  server.get('/waiting', { preHandler: [untilTurnEnds] }, answer);
  await server.listen();
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => connected(server)));
  const send = (): Promise<unknown> => {
    sockets.forEach((socket) => socket.write(request(path)));
    return Promise.all(sockets.map((socket) => once(socket, 'data')));
  };
  await send();
  steps.length = 0;
  await send();
  sockets.forEach((socket) => socket.destroy());
  await server.close();
  return steps.join(' ');
}

const allOf = (step: string): string => Array.from({ length: CLIENTS }, () => step).join(' ');

describe('requests of one turn of the event loop', () => {
  it('are handled one after another, and their responses are sent together', async () => {
    const each = Array.from({ length: CLIENTS }, () => 'read answered').join(' ');
    expect(await stepsOf('/at-once')).toBe(`${each} ${allOf('sent')}`);
  });

  it('wait for each other before their handlers run, if the route has the `untilTurnEnds` hook', async () => {
    expect(await stepsOf('/waiting')).toBe(`${allOf('read')} ${allOf('answered')} ${allOf('sent')}`);
  });

  it('get an error if the response cannot be sent', async () => {
    const server = fastify();
    sendTogether(server);
    server.get('/', (_, reply) => reply.header('x-name', 'Müller Łukasz').send('Hello'));
    await server.listen();
    const { port } = server.server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500);
    await server.close();
  });

  it('get the response that a handler has sent itself', async () => {
    const server = fastify();
    sendTogether(server);
    addRoute(server, {
      method: 'GET',
      path: '/',
      access: 'public',
      handler: async (_, reply) => {
        await Promise.resolve();
        void reply.send('Hello');
      },
    });
    expect((await server.inject('/')).body).toBe('Hello');
  });
});
