import type { FastifyRequest } from 'fastify';
import { bodyOf } from '../../common/http/delivery-body';
import { cutCopy } from '../../common/text/strings';

/** The ways in which messages reach the server. */
export const SOURCES = ['snippet', 'batch', 'segment', 'track', 'decide', 'sdk', 'ofrep', 'trusted'] as const;

export type Source = (typeof SOURCES)[number];

/** Fields of the request that sent the messages. The client address is never recorded. */
export interface Sending {
  source: Source;
  /** Host of the sending page, without path and query; null for back ends. */
  host: string | null;
  /** The `Origin` header, which browsers set; null for back ends. */
  origin: string | null;
  /** User agent of the browser that sent the request, which is the visitor's; null for back ends. */
  browserAgent: string | null;
  /**
   * Whether the messages in the request are already listed. In that case, an error in the request is not listed
   * separately.
   */
  isListed: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    sending: Sending | null;
  }
}

/** The source by route path; the first match applies. */
const SOURCE_OF_PATH: readonly (readonly [RegExp, Source])[] = [
  [/^\/v1\/(?:batch|b)$/, 'batch'],
  [/^\/v1\/decide$/, 'decide'],
  [/^\/v1\/track$/, 'track'],
  [/^\/v1\//, 'segment'],
  [/^\/ofrep\//, 'ofrep'],
];

/** A host name with its port. User names and passwords do not match, nor do hosts that browsers would not send. */
const HOST = /^https?:\/\/((?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?)(?:[/?#]|$)/i;
/** How many characters of an address are matched with `HOST`. The longest match of `HOST` is shorter. */
const MAX_SEEN = 300;

/** The host in a page's URL or origin; null if there is none. */
export function hostOf(address: string | undefined): string | null {
  const host = HOST.exec((address ?? '').slice(0, MAX_SEEN))?.[1];
  return host === undefined ? null : cutCopy(host.toLowerCase(), MAX_SEEN);
}

const sourceOf = (path: string): Source =>
  SOURCE_OF_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? 'sdk';

/** The host of the page that sent a request. Falls back to `Referer`, because scripts are loaded without `Origin`. */
export const pageHost = ({ headers }: FastifyRequest): string | null =>
  hostOf(headers.origin ?? headers.referer);

/** The number of messages in a request to collection or decisions, including invalid ones. */
export function messagesIn(request: FastifyRequest): number {
  const { batch } = Object(bodyOf(request).value) as { batch?: unknown };
  return Array.isArray(batch) ? batch.length : 1;
}

/** The fields for messages from a program: a back end, or the server itself when it records a decision. */
export const withoutPage = (source: Source): Sending => ({
  source,
  host: null,
  origin: null,
  browserAgent: null,
  isListed: false,
});

/** The fields of a request to collection or decisions. */
export const sendingOf = (request: FastifyRequest): Sending =>
  (request.sending ??= {
    source: sourceOf(request.routeOptions.url ?? ''),
    host: pageHost(request),
    origin: request.headers.origin ?? null,
    browserAgent: request.headers.origin === undefined ? null : (request.headers['user-agent'] ?? ''),
    isListed: false,
  });
