import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { MAX_CLIENT_KEY } from '../limits';
import { UnauthenticatedError } from '../errors/api-errors';
import { cutCopy } from '../text/strings';
import { bodyOf } from './delivery-body';

/*
 * Reads the client key of a delivery or collection request once, before all checks. The checks store their results on
 * the request.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request has no client key, or its route needs none. */
    clientKey: string | null;
  }
}

const BASIC = /^Basic +(.+)$/i;
const BEARER = /^Bearer +(.+)$/i;
/** The file name of a script: the client key of its project and the suffix `.js`. */
const SCRIPT_FILE = /^(\w+)\.js$/;

/** Replaces keys that are too long to be valid, so they cannot fill up any cache. */
const NOBODYS_KEY = '-';

type Reader = (request: FastifyRequest) => unknown;

/**
 * Reads the first key that is present: the user name of Basic authentication, the bearer token, `X-API-Key`, or the
 * query.
 */
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
  /**
   * The `writeKey` in the body if there is one; otherwise, see `fromHeaders`. Jitsu's library appends a colon and a
   * masked secret to the `writeKey`; both are ignored.
   */
  body: (request) => {
    const { writeKey } = Object(bodyOf(request).value) as { writeKey?: unknown };
    return typeof writeKey === 'string' && writeKey !== '' ? writeKey.split(':')[0] : fromHeaders(request);
  },
} satisfies Record<string, Reader>;

/** Location of the client key in a request. */
export type KeyPlace = keyof typeof READERS;

/** A hook that sets a request's client key. */
export function readClientKey(place: KeyPlace) {
  const read: Reader = READERS[place];
  return (request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void => {
    const key = read(request);
    if (typeof key === 'string' && key !== '') {
      // Caches keep the key, and it may have been cut out of a path or a body.
      request.clientKey = key.length > MAX_CLIENT_KEY ? NOBODYS_KEY : cutCopy(key, MAX_CLIENT_KEY);
    }
    done();
  };
}

/**
 * The client key of a request whose body could not be parsed, so no hook has read the key. Null if the key was in the
 * body, is missing or is too long.
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
