import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { STYLESHEET } from './stylesheet';

const STYLE_HASH = createHash('sha256').update(STYLESHEET).digest('base64');

/** Pages have one style sheet, which is in the page and known by its hash, and may load and run nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "img-src 'none'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_TYPE = { 'content-type': 'text/html; charset=utf-8' } as const;

/** For what search engines must not find; pages say the same themselves. */
export const NOT_INDEXED = { 'x-robots-tag': 'noindex, nofollow, noarchive' } as const;

/** Sends a page. */
export function sendPage(reply: FastifyReply, status: number, page: string): void {
  void reply
    .status(status)
    .headers({ ...PAGE_TYPE, ...NOT_INDEXED, 'content-security-policy': POLICY })
    .send(page);
}

/**
 * Sends a page that is for one person and has forms: nobody keeps it, and browsers say where its forms come from.
 * @param nonce names the one script that the page runs; the scripts of experiments have the same origin, and may not
 */
export function sendPersonalPage(reply: FastifyReply, status: number, page: string, nonce: string): void {
  void reply
    .status(status)
    .headers({
      ...PAGE_TYPE,
      ...NOT_INDEXED,
      'cache-control': 'no-store',
      'content-security-policy': `${POLICY}; script-src 'nonce-${nonce}'`,
      'referrer-policy': 'same-origin',
    })
    .send(page);
}
