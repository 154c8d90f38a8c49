import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ContentCoding, contentCoding, encoded } from '../common/http/content-coding';

/*
 * Compresses responses of more than 1 KiB, in two steps, before and after the step that returns 304
 * (`not-modified.ts`).
 *
 * `@fastify/compress` is not used, because it sends the same strong ETag for all codings, and `Vary` only with
 * compressed responses. Here a compressed response has a weak ETag. `If-Match` and `If-None-Match` accept it like the
 * strong ETag, because both identify the same record version.
 *
 * Response lengths must not reveal secrets to other sites through compression (BREACH). Such an attack needs the
 * browser's cookie, so responses to cross-site requests with a cookie are not compressed. In addition, CSRF tokens
 * differ in each response. Browsers never send API tokens automatically.
 */

declare module 'fastify' {
  interface FastifyReply {
    /** The coding to apply to the body; none if the body already has one. */
    coding: ContentCoding;
  }
}

const MIN_BYTES = 1_024;
/** Larger files are not compressed. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Excludes formats that are already compressed, and event streams, because the compressor would delay their events. */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:.+\+)?(?:json|xml|yaml|javascript|x-ndjson)|image\/svg)/;

/** The first step: chooses the coding, and sets `Vary` and `ETag` accordingly. */
export function chooseCoding(server: FastifyInstance): void {
  server.decorateReply('coding', 'identity');
  server.addHook('onSend', (request, reply, payload, done) => {
    addVary(reply);
    if (isCompressible(reply, payload)) {
      reply.coding = codingFor(request);
      const etag = reply.getHeader('etag');
      if (reply.coding !== 'identity' && typeof etag === 'string' && !etag.startsWith('W/')) {
        reply.header('etag', `W/${etag}`);
      }
    }
    done(null, payload);
  });
}

/** The second step: compresses the body, unless the body has been removed. */
export function compressBodies(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.coding === 'identity' || payload === null) {
      done(null, payload);
      return;
    }
    // `Content-Length` and ranges would refer to the uncompressed bytes.
    reply.removeHeader('content-length').removeHeader('accept-ranges');
    if (reply.statusCode !== 304) {
      reply.header('content-encoding', reply.coding);
    }
    if (request.method === 'HEAD' && isStream(payload)) {
      done(null, payload);
      return;
    }
    bytesOf(payload)
      .then((bytes) => encoded(bytes, reply.coding))
      .then((body) => done(null, body), done);
  });
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  if (vary === undefined) {
    reply.header('vary', 'Accept-Encoding');
  } else if (!/\*|accept-encoding/i.test(String(vary))) {
    reply.header('vary', `${String(vary)}, Accept-Encoding`);
  }
}

/** Does not compress responses to cross-site requests with a cookie. */
function codingFor({ headers }: FastifyRequest): ContentCoding {
  const isForged = headers['sec-fetch-site'] === 'cross-site' && headers.cookie !== undefined;
  return isForged ? 'identity' : contentCoding(headers['accept-encoding']);
}

function isCompressible(reply: FastifyReply, payload: unknown): boolean {
  const length = lengthOf(reply, payload);
  return (
    length > MIN_BYTES &&
    reply.statusCode !== 206 &&
    !reply.hasHeader('content-encoding') &&
    COMPRESSIBLE.test(String(reply.getHeader('content-type'))) &&
    !/no-transform/.test(String(reply.getHeader('cache-control')))
  );
}

/**
 * The length of a payload; 0 for payloads that are not compressed. Of the streams, only files of moderate size are
 * compressed.
 */
function lengthOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string') {
    return Buffer.byteLength(payload);
  }
  if (Buffer.isBuffer(payload)) {
    return payload.length;
  }
  const length = isStream(payload) ? Number(reply.getHeader('content-length') ?? 0) : 0;
  return length <= MAX_FILE_BYTES ? length : 0;
}

const isStream = (payload: unknown): payload is AsyncIterable<Uint8Array> =>
  typeof payload === 'object' && payload !== null && Symbol.asyncIterator in payload;

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (!isStream(payload)) {
    return Buffer.isBuffer(payload) ? payload : Buffer.from(String(payload));
  }
  return buffer(payload);
}
