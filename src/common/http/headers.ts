import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, NotFoundError } from '../errors/api-errors';

/** A client may choose the request id, as long as the id is safe in logs and headers. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** The id that the client gave to the request, or a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** The part of a URL before its path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * The path and query of a request. Clients may send an absolute URL, as they do to proxies (RFC 9112, section 3.2.2).
 */
export function requestTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (url.startsWith('/')) {
    return url;
  }
  const target = url.replace(ORIGIN, '');
  return target.startsWith('/') || target === url ? target : `/${target}`;
}

/**
 * Rejects deletions with a path that ends with a slash. Clients resolve `..` in a path before they send the request, so
 * `/projects/7/visitors/..` is sent as `/projects/7/`. The deletion of a visitor must never delete the project.
 */
export function refuseResolvedDeletions(server: FastifyInstance): void {
  server.addHook('onRequest', ({ method, url }, _reply, done) => {
    const [path = ''] = url.split('?');
    done(method === 'DELETE' && path.endsWith('/') ? new NotFoundError() : undefined);
  });
}

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986, section 3.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{1,5})?$/i;

const HOST_LENGTH = 4;

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+[\t ]*(?:;|$)/;

/**
 * Rejects requests whose Host header is missing, duplicated or malformed, because proxies and servers may interpret a
 * malformed header differently. HTTP/1.0 requests need no Host header.
 */
export function requireOneHost(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _reply, done) => {
    done(hasOneHost(request) ? undefined : new ApiError('HOST_INVALID'));
  });
}

function hasOneHost({ raw }: FastifyRequest): boolean {
  const { rawHeaders, headers, httpVersion } = raw;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    count += name?.length === HOST_LENGTH && name.toLowerCase() === 'host' ? 1 : 0;
  }
  if (count === 0 && httpVersion === '1.0') {
    return true;
  }
  return count === 1 && HOST.test(headers.host ?? '');
}

/**
 * An IPv4 address with a port, or an IPv6 address in brackets with an optional port. The first or the second group
 * contains the address.
 */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i;

/**
 * Removes the ports that some proxies, such as Azure Application Gateway, add to client addresses. The port differs for
 * each connection, so each connection would get its own rate limits.
 */
export function removeClientPorts(server: FastifyInstance): void {
  server.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const given = headers['x-forwarded-for'];
    if (typeof given === 'string' && given.includes(':')) {
      headers['x-forwarded-for'] = given
        .split(',')
        .map((entry) => entry.trim().replace(WITH_PORT, '$1$2'))
        .join(', ');
    }
    done();
  });
}

/**
 * Replaces a malformed media type with a type other than JSON, and adds the same type to QUERY requests without a media
 * type. Otherwise, Fastify would reject both kinds of requests before authentication and before looking for a route.
 */
export function acceptMediaTypes(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type'];
    if (type === undefined ? request.method === 'QUERY' : !MEDIA_TYPE.test(type)) {
      request.headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
}

/** Default security headers. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'private, no-cache',
} as const;

/** Headers for the API reference, a page that may run its own scripts. */
const REFERENCE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/**
 * Headers for an https address: HSTS for a year, Cross-Origin-Opener-Policy, and a Permissions-Policy that blocks
 * access to hardware.
 */
const HTTPS_HEADERS = {
  'strict-transport-security': 'max-age=31536000',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

const HTTPS_SECURITY_HEADERS = { ...SECURITY_HEADERS, ...HTTPS_HEADERS } as const;
const HTTPS_REFERENCE_HEADERS = { ...REFERENCE_HEADERS, ...HTTPS_HEADERS } as const;

const REFERENCE_ADDRESS = /^\/docs(?:[/?]|$)/;

/** The security headers of the response for a URL. */
export function securityHeaders(publicUrl: string, address: string): Readonly<Record<string, string>> {
  const isReference = REFERENCE_ADDRESS.test(address);
  if (publicUrl.startsWith('https:')) {
    return isReference ? HTTPS_REFERENCE_HEADERS : HTTPS_SECURITY_HEADERS;
  }
  return isReference ? REFERENCE_HEADERS : SECURITY_HEADERS;
}

/** Sets the security headers and the request id of every response. */
export function addSecurityHeaders(server: FastifyInstance, publicUrl: string): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(publicUrl, request.url)).header('x-request-id', request.id);
    done();
  });
}
