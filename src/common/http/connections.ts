import type { Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';

const CHECK_MS = 1_000;

/** Longer than the idle timeout of load balancers (usually 60 s), so that they close idle connections first. */
const KEEP_ALIVE_MS = 72_000;

/** A connection without traffic for this many request timeouts belongs to a client that does not read. */
const IDLE_FACTOR = 4;

/** After how long without traffic a connection is closed, in milliseconds. @param requestMs request timeout */
export const idleTimeout = (requestMs: number): number => IDLE_FACTOR * requestMs;

/**
 * Timeouts of a connection, against slow clients: the headers must arrive within half of the request timeout, the whole
 * request within it. Node checks for expired requests at an interval, by default every 30 s.
 * @param requestMs request timeout in milliseconds
 */
export function timeLimits(requestMs: number): FastifyHttpOptions<Server> {
  return {
    requestTimeout: requestMs,
    connectionTimeout: idleTimeout(requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: requestMs / 2,
      connectionsCheckingInterval: CHECK_MS,
      // Requests over the limit get our own error message instead.
      requireHostHeader: false,
    },
  };
}

/** Limits the number of connections. When the limit is reached, idle connections are closed. */
export function limitConnections(server: Server, max: number): void {
  server.maxConnections = max;
  server.on('drop', () => server.closeIdleConnections());
}

/** Serves requests with an unknown `Expect` header like all others. Node would return 417 without a body. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
