import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';

/* The bare counterpart for serving publications: returns the same bytes and headers from memory. */

const { FROM, PATHS, PORT } = process.env;
const OWN_HEADERS = ['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id'];
const server = Fastify({ logger: false });

server.get('/health/live', async () => ({ status: 'ok' }));

for (const path of PATHS.split(' ')) {
  const answer = await fetch(`${FROM}${path}`, { headers: { 'accept-encoding': 'identity' } });
  const plain = Buffer.from(await answer.arrayBuffer());
  const encoded = gzipSync(plain);
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.includes(name)));
  delete headers['content-length'];
  headers['content-encoding'] = 'gzip';
  server.get(path, (_request, reply) => reply.headers(headers).send(encoded));
}

await server.listen({ port: Number(PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
