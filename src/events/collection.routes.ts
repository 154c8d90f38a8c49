import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-errors';
import { allowAsking, bodyOf, CLIENT_HEADERS, clientKeyOf } from '../common/http/open-routes';
import { nowMicros } from '../common/time/clock';
import type { CollectionService } from './collection.service';
import { parseTimestamp } from './event-times';
import { Batch, isBatch } from './messages';
import { isStrict, receiptAnswer } from './receipt';

type CollectionRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;

/** Adds collection to the part of the server that is open to all sites. */
export function addCollectionRoutes(server: FastifyInstance, collection: CollectionService): void {
  allowAsking(server, '/v1/batch', { methods: 'POST', headers: CLIENT_HEADERS });
  server.post('/v1/batch', async (request: CollectionRequest) => {
    const { bytes, value } = bodyOf(request);
    const batch = readBatch(value);
    const receipt = await collection.collect({
      clientKey: clientKeyOf(request, batch.writeKey),
      messages: batch.batch,
      bytes,
      receivedAt: nowMicros(),
      sentAt: parseTimestamp(batch.sentAt),
      userAgent: request.headers['user-agent'] ?? '',
    });
    return receiptAnswer(receipt, batch.batch, isStrict(request.query));
  });
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
