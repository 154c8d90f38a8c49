import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** How a request has ended. */
export interface RequestEnd {
  /** Whether the client closed the connection before it had the response. */
  isAborted: boolean;
  /** The status of the response; null if no part of it was sent. */
  status: number | null;
}

/**
 * Calls `done` once when a request has ended: when its response has been sent, or when the client has closed the
 * connection before. Fastify's `onResponse` does not report the second case, although the work may still be done.
 */
export function onRequestEnd(
  server: FastifyInstance,
  done: (request: FastifyRequest, reply: FastifyReply, end: RequestEnd) => void,
): void {
  const ended = new WeakSet<FastifyRequest>();
  const end = (request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void => {
    if (!ended.has(request)) {
      ended.add(request);
      const status = isAborted && !reply.raw.headersSent ? null : reply.statusCode;
      done(request, reply, { isAborted, status });
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
