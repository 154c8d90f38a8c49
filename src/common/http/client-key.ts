import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { MAX_CLIENT_KEY } from '../limits';
import { UnauthenticatedError } from '../errors/api-errors';
import { bodyOf } from './delivery-body';

/*
 * The client key of a request to delivery or collection. It is read once, before all checks; the checks store their
 * results on the request.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request has none, or the route needs none. */
    clientKey: string | null;
  }
}

const BASIC = /^Basic +(.+)$/i;
const BEARER = /^Bearer +(.+)$/i;
/** The file name of a script is the client key. */
const SCRIPT_FILE = /^(\w+)\.js$/;

/** Replaces keys that are too long to be valid, so that they are not stored in any cache. */
const NOBODYS_KEY = '-';

type Reader = (request: FastifyRequest) => unknown;

/** The first of: user name of Basic authentication, bearer token, `X-API-Key`, query. */
const fromHeaders: Reader = ({ headers, query }) => {
  const { authorization } = headers;
  return (
    (authorization === undefined ? undefined : fromAuthorization(authorization)) ??
    (headers['x-api-key'] || (query as Record<string, unknown>).client_key)
  );
};

function fromAuthorization(authorization: string): string | undefined {
  const basic = BASIC.exec(authorization)?.[1];
  const user = basic === undefined ? '' : Buffer.from(basic, 'base64').toString().split(':')[0];
  return user || BEARER.exec(authorization)?.[1];
}

const READERS = {
  /** The path parameter `clientKey`. */
  path: ({ params }) => (params as { clientKey: string }).clientKey,
  /** The file name, without `.js`. */
  file: ({ params }) => SCRIPT_FILE.exec((params as { file: string }).file)?.[1],
  /** See `fromHeaders`. */
  headers: fromHeaders,
  /** The `writeKey` of the body, otherwise like `headers`. Jitsu's library adds a colon and its secret, masked. */
  body: (request) => {
    const { writeKey } = Object(bodyOf(request).value) as { writeKey?: unknown };
    return typeof writeKey === 'string' && writeKey !== '' ? writeKey.split(':')[0] : fromHeaders(request);
  },
} satisfies Record<string, Reader>;

/** Location of the client key in a request. */
export type KeyPlace = keyof typeof READERS;

/** A hook that sets the client key of requests. */
export function readClientKey(place: KeyPlace) {
  const read: Reader = READERS[place];
  return (request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void => {
    const key = read(request);
    if (typeof key === 'string' && key !== '') {
      request.clientKey = key.length > MAX_CLIENT_KEY ? NOBODYS_KEY : key;
    }
    done();
  };
}

/**
 * The client key of a request whose body could not be read, so that no hook has read the key; null if the key was in the
 * body, or there is none.
 */
export function unreadClientKey(request: FastifyRequest): string | null {
  const key = READERS.path(request) ?? fromHeaders(request);
  return typeof key === 'string' && key !== '' && key.length <= MAX_CLIENT_KEY ? key : null;
}

/**
 * The client key of a request to a route that requires one.
 * @throws UnauthenticatedError if it is missing
 */
export function clientKeyOf({ clientKey }: FastifyRequest): string {
  if (clientKey === null) {
    throw new UnauthenticatedError();
  }
  return clientKey;
}
