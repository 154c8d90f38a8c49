import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { STYLESHEET } from './stylesheet';

const STYLE_HASH = createHash('sha256').update(STYLESHEET).digest('base64');

/** The Referrer-Policy of a page with forms. Pages with a secret in their path send only their origin. */
export type PageReferrer = 'same-origin' | 'strict-origin';

/**
 * Pages can use one inline style sheet, allowed by its hash, and images from this server. They cannot load or run
 * anything else.
 */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_TYPE = { 'content-type': 'text/html; charset=utf-8' } as const;

/** Prevents search engines from indexing the page. Pages also have a meta tag for this purpose. */
export const NOT_INDEXED = { 'x-robots-tag': 'noindex, nofollow, noarchive' } as const;

/** Headers of a page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_TYPE,
  ...NOT_INDEXED,
  'content-security-policy': POLICY,
};

/** Sends a page. */
export function sendPage(reply: FastifyReply, status: number, page: string): void {
  void reply.status(status).headers(PAGE_HEADERS).send(page);
}

/**
 * Sends a personal page with forms. The page is never cached, and browsers send its origin when a form is submitted.
 * The tokens and the nonce differ in each response, so the length of the compressed response does not leak them.
 * @param nonce the CSP nonce of the page's only script
 */
export function sendPersonalPage(
  reply: FastifyReply,
  status: number,
  page: string,
  nonce: string,
  referrer: PageReferrer = 'same-origin',
): void {
  void reply
    .status(status)
    .headers({
      ...PAGE_HEADERS,
      'cache-control': 'no-store',
      'content-security-policy': `${POLICY}; script-src 'nonce-${nonce}'`,
      'referrer-policy': referrer,
    })
    .send(page);
}
