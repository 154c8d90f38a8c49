import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type ActorRequest, signedInUser } from '../access/actor';
import { loggedAddress } from '../common/logging/logged-address';

/** Access log: one line for each finished request, without secrets. */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  if (!logger.isLevelEnabled('info')) {
    return;
  }
  server.addHook('onResponse', (request: ActorRequest, reply, done) => {
    logger.info(
      {
        requestId: request.id,
        traceId: request.trace?.traceId,
        userId: request.actor?.userId ?? signedInUser(request)?.userId,
        tokenId: request.actor?.tokenId,
        method: request.method,
        url: loggedAddress(request.url),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}
