import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { NotFoundError } from '../common/errors/api-errors';
import { allowAsking, CLIENT_HEADERS } from '../common/http/open-routes';
import type { Payload } from './build/payload';
import { BROTLI, GZIP } from './build/publication-content';
import { environmentOf } from './environment-query';
import type { PreviewScripts } from './preview-scripts';
import type { Encoded } from './published';
import type { PublishedProjects } from './published-projects';

const SCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const CURRENT = 'public, max-age=60, stale-while-revalidate=600';
const FOR_EVER = 'public, max-age=31536000, immutable';
const PREVIEW_TOKEN = /^([\w.-]{1,100})\.js$/;
const REVISION = /^([1-9]\d{0,9})\.js$/;
const SNIPPET = /^(\w{1,100})\.js$/;

const encodings = new Negotiator({
  supportedValues: ['br', 'gzip', 'identity'],
  cache: new LRUCache<string, string>({ max: 1_000 }),
});

type Named<Name extends string> = FastifyRequest<{ Params: Record<Name, string> }>;

/** Adds what browsers and SDKs load: scripts, and payloads. */
export function addArtifactRoutes(
  server: FastifyInstance,
  projects: PublishedProjects,
  previews: PreviewScripts,
): void {
  const readable = { methods: 'GET', headers: CLIENT_HEADERS };
  for (const path of [
    '/s/:file',
    '/s/:clientKey/:file',
    '/s/:clientKey/preview/:file',
    '/api/features/:clientKey',
  ]) {
    allowAsking(server, path, readable);
  }
  server.get('/s/:file', async (request: Named<'file'>, reply) => {
    const published = found(await projects.find(part(SNIPPET, request.params.file)));
    return sendEncoded(request, reply, published.snippet, {
      type: SCRIPT,
      control: CURRENT,
      revision: published.revision,
    });
  });
  server.get('/s/:clientKey/:file', async (request: Named<'clientKey' | 'file'>, reply) => {
    const { clientKey, file } = request.params;
    const revision = Number(part(REVISION, file));
    const published = found(await projects.findRevision(clientKey, revision));
    return sendEncoded(request, reply, published.snippet, { type: SCRIPT, control: FOR_EVER, revision });
  });
  server.get('/s/:clientKey/preview/:file', async (request: Named<'clientKey' | 'file'>, reply) => {
    const { clientKey, file } = request.params;
    const script = found(await previews.find(clientKey, part(PREVIEW_TOKEN, file)));
    return reply.headers({ 'content-type': SCRIPT, 'cache-control': 'no-store' }).send(script);
  });
  server.get('/api/features/:clientKey', async (request: Named<'clientKey'>, reply) => {
    const published = found(await projects.find(request.params.clientKey));
    const payload = found(published.payloads.get(environmentOf(request.query, published)) ?? null);
    const { revision } = published;
    return sendEncoded(request, reply, writtenPayload(payload), {
      type: JSON_TYPE,
      control: CURRENT,
      revision,
    });
  });
}

/** @throws NotFoundError when there is nothing */
function found<T>(something: T | null): T {
  if (something === null) {
    throw new NotFoundError();
  }
  return something;
}

const part = (pattern: RegExp, file: string): string => found(pattern.exec(file))[1];

const BODIES: Record<string, (encoded: Encoded) => Buffer> = {
  br: ({ brotli }) => brotli,
  gzip: ({ gzip }) => gzip,
};

interface Caching {
  type: string;
  control: string;
  revision: number;
}

/** Sends what is asked for in the encoding that is preferred. Each is other bytes, so it has a tag of its own. */
function sendEncoded(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  encoded: Encoded,
  { type, control, revision }: Caching,
): FastifyReply {
  const encoding = encodings.negotiate(headers['accept-encoding'] ?? 'identity') ?? 'identity';
  const body = BODIES[encoding];
  reply.headers({
    'content-type': type,
    'cache-control': control,
    etag: `"${encoded.sha256.slice(0, 32)}${body === undefined ? '' : `-${encoding}`}"`,
    vary: 'Accept-Encoding',
    'x-snippet-revision': revision,
    ...(body === undefined ? {} : { 'content-encoding': encoding }),
  });
  return reply.send(body?.(encoded) ?? encoded.plain);
}

/** Payloads as they are sent, made once for each revision. */
const written = new WeakMap<Payload, Encoded>();

function writtenPayload(payload: Payload): Encoded {
  const known = written.get(payload);
  if (known !== undefined) {
    return known;
  }
  const plain = Buffer.from(JSON.stringify(payload));
  const encoded = {
    plain,
    gzip: gzipSync(plain, GZIP),
    brotli: brotliCompressSync(plain, BROTLI),
    sha256: createHash('sha256').update(plain).digest('hex'),
  };
  written.set(payload, encoded);
  return encoded;
}
