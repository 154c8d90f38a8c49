import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFoundPages } from '../common/errors/not-found-pages';
import { prefersJson } from '../presentation/media-types';
import { AccountPages, HOME } from './account-pages';
import { renderErrorPage } from './pages/error-page';

/** Path prefixes without 404 pages, or with their own. */
const FOR_PROGRAMS = /^\/+(?:api|v1|ofrep|s|docs|health|metrics|mcp|track)(?:\/|$)/;
const NAMES_PAGES = /\btext\/html\b/i;

/** Truncated paths, and the nearest page for each. */
const SHORTENED: readonly [address: RegExp, page: string][] = [
  [/^\/projects\/?$/, HOME],
  [/^(\/projects\/\d+)\/experiments\/?$/, '$1'],
  [/^\/settings\/?$/, '/settings/api-tokens'],
];

/** The 404 page. Clients that do not accept HTML get the API's JSON error. */
@Injectable()
export class HtmlNotFoundPages implements NotFoundPages {
  constructor(private readonly pages: AccountPages) {}

  answer(
    { url, method, headers: { accept = '' } }: FastifyRequest,
    reply: FastifyReply,
    status: number,
  ): boolean {
    const [path = ''] = url.split('?');
    if (FOR_PROGRAMS.test(path)) {
      return false;
    }
    reply.header('vary', 'Accept');
    if (!NAMES_PAGES.test(accept) || prefersJson(accept)) {
      return false;
    }
    const page = method === 'GET' || method === 'HEAD' ? nearestPage(path) : null;
    if (page !== null) {
      this.pages.redirect(reply, page);
    } else {
      this.pages.send(reply, status, null, (frame) => renderErrorPage(frame, status));
    }
    return true;
  }
}

function nearestPage(path: string): string | null {
  const found = SHORTENED.find(([address]) => address.test(path));
  return found === undefined ? null : path.replace(...found);
}
