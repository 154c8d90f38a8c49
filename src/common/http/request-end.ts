import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Calls `done` once when a request has ended: when its response has been sent, or when the client has closed the
 * connection before. Fastify's `onResponse` does not report the second case, although the work may still be done.
 */
export function onRequestEnd(
  server: FastifyInstance,
  done: (request: FastifyRequest, reply: FastifyReply, isAborted: boolean) => void,
): void {
  const ended = new WeakSet<FastifyRequest>();
  const end = (request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void => {
    if (!ended.has(request)) {
      ended.add(request);
      done(request, reply, isAborted);
    }
  };
  server.addHook('onRequest', (request, reply, next) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) {
        end(request, reply, true);
      }
    });
    next();
  });
  server.addHook('onResponse', (request, reply, next) => {
    end(request, reply, false);
    next();
  });
}
