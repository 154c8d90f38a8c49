import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, UnauthenticatedError } from '../errors/api-errors';
import { refusing } from '../errors/refusing';

/*
 * What all routes have in common that the sites and back ends of visitors call with a client key: pages of any site
 * may call them, because there are no cookies that could be abused.
 */

const BODY_LIMIT_BYTES = 512_000;
/** `sendBeacon` sends text, so that the browser need not ask first. */
const CONTENT_TYPES = ['application/json', 'text/plain'];
const BASIC = /^Basic +(.+)$/i;
/** A script is named after the client key. */
const SCRIPT_FILE = /^(\w+)\.js$/;
const BEARER = /^Bearer +(.+)$/i;

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Retry-After, X-Snippet-Revision',
  'cross-origin-resource-policy': 'cross-origin',
};

/** What came as the body of a request. */
export interface ReadBody {
  bytes: number;
  /** Undefined when it is no JSON. */
  value: unknown;
}

/** Lets pages of any site call the routes that are added to this part of the server, with bodies and errors of its own. */
export function openToAllSites(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    CONTENT_TYPES,
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    async (_: FastifyRequest, body: Buffer) => parseBody(body),
  );
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(CORS);
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new ApiError(415, 'Unsupported Media Type');
    }
  });
  server.setErrorHandler(refusing('Delivery'));
}

/** What browsers may send to a path, when they ask before they do. */
export interface Allowed {
  methods: string;
  headers: string;
}

/** The headers that a client key and a body need. */
export const CLIENT_HEADERS = 'authorization, content-type, x-api-key';

/** Answers browsers that ask before they send. */
export function allowAsking(server: FastifyInstance, path: string, { methods, headers }: Allowed): void {
  const answer = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': headers,
    'access-control-max-age': '86400',
  };
  server.options(path, async (_request, reply) => reply.code(204).headers(answer).send());
}

function parseBody(body: Buffer): ReadBody {
  try {
    return { bytes: body.length, value: isUtf8(body) ? (JSON.parse(body.toString()) as unknown) : undefined };
  } catch {
    return { bytes: body.length, value: undefined };
  }
}

const NO_BODY: ReadBody = { bytes: 0, value: undefined };

/** The body of a request to a route that is open to all sites. */
export const bodyOf = ({ body }: FastifyRequest): ReadBody => (body ?? NO_BODY) as ReadBody;

/**
 * The client key that the path, the body, the user name of Basic authentication, a bearer token, `X-API-Key` or the
 * query names: the first of these that is there, or null.
 * @param fromBody the `writeKey` of bodies that have one
 */
export function givenClientKey(
  { headers, params, query }: FastifyRequest,
  fromBody?: unknown,
): string | null {
  const { clientKey, file } = params as { clientKey?: string; file?: string };
  if (clientKey !== undefined || file !== undefined) {
    return clientKey ?? SCRIPT_FILE.exec(file ?? '')?.[1] ?? null;
  }
  const { authorization = '' } = headers;
  const basic = BASIC.exec(authorization)?.[1];
  const given = [
    fromBody,
    basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':')[0],
    BEARER.exec(authorization)?.[1],
    headers['x-api-key'],
    (query as Record<string, unknown>).client_key,
  ];
  return given.find((each): each is string => typeof each === 'string' && each !== '') ?? null;
}

/**
 * As `givenClientKey`, for routes that cannot do without.
 * @throws UnauthenticatedError when none is there
 */
export function clientKeyOf(request: FastifyRequest, fromBody?: unknown): string {
  const key = givenClientKey(request, fromBody);
  if (key === null) {
    throw new UnauthenticatedError();
  }
  return key;
}
