import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type ActorRequest, signedInUser } from './access/actor';
import { OPENID_CALLBACK } from './access/api-prefix';
import { onRequestEnd } from '../common/http/request-end';
import type { UnhookedRequest } from '../common/http/server-options';
import { PREVIEW_PARAMETER } from '../experiments/variations/preview-parameter';

const MAX_LENGTH = 2_000;

const SLASHES = '(?:/|%2F)+';
const CALLBACK = OPENID_CALLBACK.replaceAll('/', SLASHES);

/** Secrets and personal data in URLs, which must not be logged. */
const SECRETS: readonly [pattern: RegExp, replacement: string][] = [
  // Share links give access to results, and can also be redirect targets.
  [/((?:^|\/|%2F)share(?:\/|%2F)+)[^/?#&%]+/gi, '$1[token]'],
  // Anyone with an invitation link can set a password.
  [/((?:^|\/|%2F)invitation(?:\/|%2F)+)[^/?#&%]+/gi, '$1[token]'],
  // Preview links show unpublished variations.
  [/(\/preview\/+)[^/?#]+/gi, '$1[token]'],
  // The callback URL for an OpenID Connect provider contains a sign-in code, which is still valid if no route matches.
  [new RegExp(`(${CALLBACK}(?:${SLASHES})?(?:\\?|%3F))[^#]*`, 'gi'), '$1[secret]'],
  [
    new RegExp(`([?&](?:${PREVIEW_PARAMETER}|[\\w-]*(?:token|password|secret|authorization))=)[^&#]*`, 'gi'),
    '$1[secret]',
  ],
  [/gos_\w+/gi, 'gos_[token]'],
  // Otherwise, the log line for the deletion of a visitor would retain the visitor's id.
  [/(\/visitors\/+)[^?#]+/gi, '$1[visitor]'],
];

/** Escape sequences of characters that need none: letters, digits and `-._~`. */
const NEEDLESS_ESCAPE = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/** A URL for the log, truncated, without needless escape sequences, and stripped of secrets and visitor ids. */
export function loggedAddress(url: string): string {
  // The router decodes the path, so a secret can follow an escaped word, such as `/%73hare/`.
  const plain = url.replace(NEEDLESS_ESCAPE, (escape) => decodeURIComponent(escape));
  const told = SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), plain);
  return told.length > MAX_LENGTH ? `${told.slice(0, MAX_LENGTH)}…` : told;
}

/**
 * Access log: one line for each request, without secrets. If the client closed the connection before the response was
 * sent, the line has `aborted`, and `status` is null unless a part of the response was sent.
 */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  if (!logger.isLevelEnabled('info')) {
    return;
  }
  onRequestEnd(server, (request: ActorRequest, reply, { isAborted, status }) => {
    logger.info(
      {
        requestId: request.id,
        traceId: request.trace?.traceId,
        userId: request.actor?.userId ?? signedInUser(request)?.userId,
        tokenId: request.actor?.tokenId,
        method: request.method,
        url: loggedAddress(request.url),
        status,
        ...(isAborted && { aborted: true }),
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });
}

/** The access log for requests that `logRequests` does not see. */
export function unhookedLog(logger: Logger): (request: UnhookedRequest) => void {
  return ({ url, ...request }) =>
    logger.info({ ...request, ...(url !== undefined && { url: loggedAddress(url) }) }, 'request');
}
