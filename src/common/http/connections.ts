import type { Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';

const CHECK_MS = 1_000;

/**
 * Longer than the idle timeout of load balancers (usually 60 s), so load balancers close idle connections before the
 * server does.
 */
const KEEP_ALIVE_MS = 72_000;

/** After this many request timeouts without traffic, the client is assumed to have stopped reading. */
const IDLE_FACTOR = 4;

/** There is no traffic while the server works on a response, which can take several seconds. */
const MIN_IDLE_MS = 20_000;

/** Time without traffic after which a connection is closed, in milliseconds. @param requestMs request timeout */
export const idleTimeout = (requestMs: number): number => Math.max(IDLE_FACTOR * requestMs, MIN_IDLE_MS);

/**
 * Connection timeouts that protect against slow clients. The headers must arrive within half of the request timeout,
 * and the whole request within the request timeout. Node checks for expired requests at an interval, by default every
 * 30 s.
 * @param requestMs request timeout in milliseconds
 */
export function timeLimits(requestMs: number): FastifyHttpOptions<Server> {
  return {
    requestTimeout: requestMs,
    connectionTimeout: idleTimeout(requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      // Node requires this to be at least `headersTimeout` when it creates the server; Fastify sets its own option later.
      requestTimeout: requestMs,
      headersTimeout: requestMs / 2,
      connectionsCheckingInterval: CHECK_MS,
      // `requireOneHost` rejects requests without a Host header, with our own error message.
      requireHostHeader: false,
    },
  };
}

/** Limits the number of connections. At the limit, idle connections are closed. */
export function limitConnections(server: Server, max: number): void {
  server.maxConnections = max;
  server.on('drop', () => server.closeIdleConnections());
}

/** Ignores unknown `Expect` headers. Node would respond with 417 and no body. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
