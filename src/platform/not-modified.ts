import type { FastifyReply, FastifyRequest } from 'fastify';
import { refundHit } from './rate-limit/rate-limit.guard';
import { parseTags } from '../common/http/etag';

/**
 * Responds to a read with 304 if `If-None-Match` contains the ETag of the response. A 304 does not count against the
 * rate limit. @returns the body to send
 */
export async function answerNotModified(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const match = matchOf(request, reply);
  if (match === null) {
    return payload;
  }
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  if (match === 'tag') {
    await refundHit(request, reply);
  }
  // Fastify itself removes the body of HEAD responses, after using it for Content-Length.
  return request.method === 'HEAD' ? payload : null;
}

/**
 * How `If-None-Match` matches the response. `*` matches any ETag, so a request with `*` counts against the rate limit
 * like a normal read.
 */
function matchOf({ method, headers }: FastifyRequest, reply: FastifyReply): 'tag' | '*' | null {
  const known = headers['if-none-match'];
  const etag = reply.getHeader('etag');
  if (known === undefined || reply.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) {
    return null;
  }
  const tags = parseTags(known);
  const [tag = ''] = typeof etag === 'string' ? parseTags(etag) : [];
  if (tag !== '' && tags.includes(tag)) {
    return 'tag';
  }
  return tag !== '' && tags.includes('*') ? '*' : null;
}
