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

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
} as const;

/** For what search engines must not find; pages say the same themselves. */
export const NOT_INDEXED = { 'x-robots-tag': 'noindex, nofollow, noarchive' } as const;

/** Sends a page. */
export function sendPage(reply: FastifyReply, status: number, page: string): void {
  void reply
    .status(status)
    .headers({ ...PAGE_HEADERS, ...NOT_INDEXED })
    .send(page);
}
