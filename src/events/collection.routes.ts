import { isUtf8 } from 'node:buffer';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, UnauthenticatedError } from '../common/errors/api-errors';
import { refusalOf } from '../common/errors/refusal';
import { nowMicros } from '../common/time/clock';
import type { CollectionService } from './collection.service';
import { parseTimestamp } from './event-times';
import { Batch, isBatch } from './messages';
import type { Receipt } from './receipt';

const BODY_LIMIT_BYTES = 512_000;
/** `sendBeacon` sends text, so that the browser need not ask first. */
const CONTENT_TYPES = ['application/json', 'text/plain'];
const BASIC = /^Basic +(.+)$/i;
const BEARER = /^Bearer +(.+)$/i;

/** Any page may send events: there are no cookies that could be abused, and the answer tells nothing. */
const CORS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, content-type, x-api-key',
  'access-control-max-age': '86400',
};

const logger = new Logger('Collection');

type CollectionRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;

/** Collection as its own part of the server, with its own bodies and errors; browsers call it from any site. */
export function collectionRoutes(collection: CollectionService) {
  return async (server: FastifyInstance): Promise<void> => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      CONTENT_TYPES,
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
      async (_: FastifyRequest, body: Buffer) => parseBody(body),
    );
    server.addHook('onRequest', async (request, reply) => {
      reply.headers(CORS);
      if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
        throw new ApiError(415, 'Unsupported Media Type');
      }
    });
    server.setErrorHandler((error, request, reply) => refuse(error, request, reply));
    server.options('/v1/batch', async (_request, reply) => reply.code(204).headers(PREFLIGHT).send());
    server.post('/v1/batch', async (request: CollectionRequest) => {
      const { bytes, value } = (request.body ?? NO_BODY) as ReadBody;
      const batch = readBatch(value);
      const receipt = await collection.collect({
        clientKey: clientKeyOf(request, batch),
        messages: batch.batch,
        bytes,
        receivedAt: nowMicros(),
        sentAt: parseTimestamp(batch.sentAt),
        userAgent: request.headers['user-agent'] ?? '',
      });
      return answer(receipt, batch, isStrict(request.query));
    });
  };
}

const NO_BODY: ReadBody = { bytes: 0, value: undefined };

interface ReadBody {
  bytes: number;
  /** Undefined when it is no JSON. */
  value: unknown;
}

function parseBody(body: Buffer): ReadBody {
  try {
    return { bytes: body.length, value: isUtf8(body) ? (JSON.parse(body.toString()) as unknown) : undefined };
  } catch {
    return { bytes: body.length, value: undefined };
  }
}

function readBatch(body: unknown): Batch {
  if (body === undefined) {
    throw new ApiError(400, 'The body is not valid JSON.');
  }
  if (!isBatch(body)) {
    throw new ApiError(400, 'The body must be an object with a list of messages in its field batch.');
  }
  return body;
}

/**
 * The client key that the body, the user name of Basic authentication, a bearer token, `X-API-Key` or the query
 * names; the first of these that is there.
 */
function clientKeyOf({ headers, query }: CollectionRequest, { writeKey }: Batch): string {
  const { authorization = '' } = headers;
  const basic = BASIC.exec(authorization)?.[1];
  const given = [
    writeKey,
    basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':')[0],
    BEARER.exec(authorization)?.[1],
    headers['x-api-key'],
    query.client_key,
  ];
  const key = given.find((each) => typeof each === 'string' && each !== '');
  if (typeof key !== 'string') {
    throw new UnauthenticatedError();
  }
  return key;
}

const isStrict = ({ strict }: Record<string, unknown>): boolean => strict === '1' || strict === 'true';

function answer({ accepted, rejected }: Receipt, { batch }: Batch, isDetailed: boolean): object {
  const summary = { success: true, accepted, rejected: rejected.length };
  if (!isDetailed) {
    return summary;
  }
  const errors = rejected.map(({ index, reason }) => ({
    index,
    messageId: messageIdOf(batch[index]),
    reason,
  }));
  return { ...summary, errors };
}

function messageIdOf(message: unknown): string | null {
  const { messageId } = Object(message) as { messageId?: unknown };
  return typeof messageId === 'string' ? messageId : null;
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error);
  if (refusal !== error && refusal.status >= 500) {
    logger.error({ err: error, requestId: request.id }, 'Collection failed');
  }
  void reply
    .code(refusal.status)
    .headers({ ...refusal.headers })
    .send({ message: refusal.message, ...refusal.extra });
}
