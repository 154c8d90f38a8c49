import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-errors';
import { clientKeyOf } from '../common/http/client-key';
import { answerPreflight, CLIENT_HEADERS } from '../common/http/cors';
import { bodyOf, jsonOf } from '../common/http/delivery-body';
import { addRoute } from '../common/http/raw-routes';
import { isObject } from '../common/validation/values';
import { nowMicros, parseTimestamp } from '../common/time/clock';
import type { CollectionService } from './collection.service';
import { Batch, isBatch } from './messages';
import { isStrict, receiptAnswer } from './message-outcome';
import { sendingOf } from './recent/sending';

/** Paths of Segment's HTTP API for batches. */
const BATCH_PATHS = ['/v1/batch', '/v1/b'];

/** Paths of Segment's HTTP API for single messages, by type. Omits `/v1/track`, which has its own route. */
export const MESSAGE_PATHS: Readonly<Record<string, readonly string[]>> = {
  track: ['/v1/t'],
  page: ['/v1/page', '/v1/p'],
  identify: ['/v1/identify', '/v1/i'],
  group: ['/v1/group', '/v1/g'],
  alias: ['/v1/alias', '/v1/a'],
  screen: ['/v1/screen', '/v1/s'],
};

/** Paths that Jitsu's libraries use, in browsers and on servers. */
export const JITSU_PATHS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ['track', 'page', 'identify'].map((type) => [type, [`/api/s/${type}`, `/api/s/s2s/${type}`]]),
);

type Collection = Pick<CollectionService, 'collect'>;
type ReadBatch = (body: unknown) => Batch;
type CollectRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;

/** Adds the event collection routes, which accept cross-origin requests from any site. */
export function addCollectionRoutes(server: FastifyInstance, collection: Collection): void {
  BATCH_PATHS.forEach((path) => addRouteOf(server, collection, path, readBatch));
  for (const [type, paths] of [MESSAGE_PATHS, JITSU_PATHS].flatMap((each) => Object.entries(each))) {
    paths.forEach((path) => addRouteOf(server, collection, path, (body) => readMessage(body, type)));
  }
}

function addRouteOf(server: FastifyInstance, collection: Collection, path: string, read: ReadBatch): void {
  const keyIn = 'body';
  answerPreflight(server, path, { methods: 'POST', headers: CLIENT_HEADERS, keyIn });
  addRoute<{ Querystring: Record<string, unknown> }>(server, {
    method: 'POST',
    path,
    access: 'client-key',
    keyIn,
    handler: (request) => collectFrom(request, collection, read),
  });
}

/** Collects one message of Segment's HTTP API from a request whose path implies the type `track`. */
export const collectTrackMessage = (request: CollectRequest, collection: Collection): Promise<object> =>
  collectFrom(request, collection, (body) => readMessage(body, 'track'));

async function collectFrom(
  request: CollectRequest,
  collection: Collection,
  read: ReadBatch,
): Promise<object> {
  const { batch, sentAt } = read(jsonOf(request));
  const receipt = await collection.collect({
    clientKey: clientKeyOf(request),
    keyedProject: request.keyedProject,
    messages: batch,
    bytes: bodyOf(request).bytes,
    receivedAt: nowMicros(),
    sentAt: parseTimestamp(sentAt),
    userAgent: request.headers['user-agent'] ?? '',
    sending: sendingOf(request),
  });
  return receiptAnswer(receipt, batch, isStrict(request.query));
}

function readBatch(body: unknown): Batch {
  if (!isBatch(body)) {
    throw new ApiError('BODY_MALFORMED');
  }
  return body;
}

/** Reads a batch that consists of one message. The message may omit its type, because the URL implies the type. */
function readMessage(body: unknown, type: string): Batch {
  if (!isObject(body)) {
    throw new ApiError('BODY_MALFORMED', 'The body must be an object: a single message.');
  }
  return { sentAt: body.sentAt, batch: [{ ...body, type: body.type ?? type }] };
}
