import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-errors';

const BODY_LIMIT_BYTES = 1024 * 1024;
const JSON_TYPE = /^application\/json[\t ]*(?:;|$)/i;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+[\t ]*(?:;|$)/;

/** A body that cannot be used. Its refusal waits for its turn: who may not send anything is not told about it. */
export class UnreadableBody {
  constructor(readonly refusal: ApiError) {}
}

/**
 * Bodies are JSON and nothing else. An empty body is none, also where a client sends the content type with every
 * request.
 */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  // Fastify would refuse what is no media type at all before anybody knows who asks.
  server.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) {
      request.headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const bytes = await readUpTo(BODY_LIMIT_BYTES, payload);
    return bytes?.length === 0 ? undefined : parse(request.headers['content-type'] ?? '', bytes);
  });
}

function parse(type: string, bytes: Buffer | null): unknown {
  if (!JSON_TYPE.test(type)) {
    return new UnreadableBody(new ApiError(415, 'Unsupported Media Type'));
  }
  if (bytes === null) {
    return new UnreadableBody(new ApiError(413, 'Payload Too Large', {}, { connection: 'close' }));
  }
  try {
    return isUtf8(bytes) ? (JSON.parse(bytes.toString()) as unknown) : notJson();
  } catch {
    return notJson();
  }
}

const notJson = (): UnreadableBody => new UnreadableBody(new ApiError(400, 'The body is not valid JSON.'));

/** The bytes of a stream; null when there are more than the limit, and then what still comes is thrown away. */
function readUpTo(limit: number, stream: Readable): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        resolve(null);
      }
    });
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', () => reject(new ApiError(400, 'The body broke off.')));
  });
}
