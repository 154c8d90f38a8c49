import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refundHit } from '../auth/rate-limit/rate-limit.guard';
import { matchesTag, parseTags } from '../common/freshness/tags';

/**
 * Responds to reads with 304 if `If-None-Match` has the ETag of the response. A 304 does not count against the rate
 * limit.
 */
export function answerNotModified(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const tags = matchingTags(request, reply);
    if (tags === null) {
      done(null, payload);
      return;
    }
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    // Fastify removes the body of HEAD responses itself, and needs it for Content-Length.
    const rest = request.method === 'HEAD' ? payload : null;
    // `*` matches any ETag, so it counts like a normal read.
    if (tags.includes(String(reply.getHeader('etag')))) {
      refundHit(request, reply).then(() => done(null, rest), done);
    } else {
      done(null, rest);
    }
  });
}

/** The ETags of `If-None-Match` if one of them matches the response, otherwise null. */
function matchingTags({ method, headers }: FastifyRequest, reply: FastifyReply): readonly string[] | null {
  const known = headers['if-none-match'];
  if (known === undefined || reply.statusCode !== 200 || (method !== 'GET' && method !== 'HEAD')) {
    return null;
  }
  const etag = reply.getHeader('etag');
  const tags = typeof etag === 'string' ? parseTags(known) : [];
  return typeof etag === 'string' && matchesTag(tags, etag) ? tags : null;
}
