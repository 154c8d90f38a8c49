import type { FastifyInstance } from 'fastify';
import type { KeyPlace } from './client-key';
import { requireKnownCoding } from './body-decoding';
import { addRoute } from './raw-routes';

/*
 * CORS (Fetch standard) for delivery and collection. All origins are allowed, because these routes do not use cookies
 * and therefore cannot be attacked by CSRF. `OriginCheck` then rejects origins that are not in the project's
 * `allowed_origins`. The management API has no CORS headers, so browsers do not let other sites read its responses.
 */

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, X-Snippet-Revision, X-SSE-Support',
  'cross-origin-resource-policy': 'cross-origin',
};

const DELIVERY_PATH = /^\/(?:v1|track|ofrep|s|sub|api\/(?:features|eval|s))(?:[/?]|$)/;

/** The CORS headers for a URL without a route: those of delivery if it is a delivery path, otherwise none. */
export const corsWithoutRoute = (url: string): Readonly<Record<string, string>> =>
  DELIVERY_PATH.test(url) ? CORS : {};

/** Adds CORS headers to 404 and 405 responses on delivery paths, so the page that sent the request can read them. */
export function allowUnrouted(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.is404) {
      reply.headers(corsWithoutRoute(request.url));
    }
    done();
  });
}

/** Adds CORS headers for all origins to the responses in this scope, including errors about a body's content coding. */
export function allowAllOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(CORS);
    done(requireKnownCoding(request));
  });
}

/** The methods and headers that a CORS preflight allows for a path. */
export interface AllowedRequests {
  methods: string;
  headers: string;
  /** Location of the client key in requests to the path. */
  keyIn: KeyPlace;
}

/**
 * Request headers for the client key, the body and tracing. The wildcard allows all other headers, because libraries
 * such as RudderStack's send additional headers, which the server ignores. The wildcard does not cover `Authorization`,
 * and old browsers do not support it.
 */
export const CLIENT_HEADERS =
  'authorization, content-type, content-encoding, x-api-key, traceparent, tracestate, baggage, *';

/** `Access-Control-Max-Age`: how long browsers may cache a preflight response, in seconds (one day). */
const MAX_AGE_SECONDS = '86400';

/** Answers CORS preflights. */
export function answerPreflight(
  server: FastifyInstance,
  path: string,
  { methods, headers, keyIn }: AllowedRequests,
): void {
  const answer = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': headers,
    'access-control-max-age': MAX_AGE_SECONDS,
  };
  addRoute(server, {
    method: 'OPTIONS',
    path,
    access: 'public',
    keyIn,
    handler: (_request, reply) => {
      void reply.code(204).headers(answer).send();
    },
  });
}
