import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFoundPages } from '../common/errors/error.filter';
import { prefersPage } from '../presentation/media-types';
import { BrowserSessions } from './browser-sessions';
import { AccountPages, HOME, viewerOf } from './account-pages';
import { problemIn, renderErrorPage } from './pages/error-page';

/** Path prefixes that this 404 page does not cover. */
const FOR_PROGRAMS = /^\/+(?:api|v1|ofrep|s|health|metrics|mcp|track)(?:\/|$)/;

/** Paths without a page, and the nearest page for each. */
const NEAREST: readonly [address: RegExp, page: string][] = [
  [/^\/projects\/?$/, HOME],
  [/^(\/projects\/\d+)\/experiments\/?$/, '$1'],
  [/^\/settings\/?$/, '/settings/api-tokens'],
  // Form targets without a page of their own. Users end up at these URLs if they had to sign in to submit the form.
  [/^\/settings\/sessions\/(?:\d+\/end|end-others)\/?$/, '/settings/sessions'],
];

/** The 404 page. Clients that do not accept HTML get the API's JSON error. */
@Injectable()
export class HtmlNotFoundPages implements NotFoundPages {
  constructor(
    private readonly pages: AccountPages,
    private readonly sessions: BrowserSessions,
  ) {}

  answer(request: FastifyRequest, reply: FastifyReply, status: number): boolean {
    const { url, method, headers } = request;
    const [path = ''] = url.split('?');
    if (FOR_PROGRAMS.test(path)) {
      return false;
    }
    reply.header('vary', 'Accept');
    if (!prefersPage(headers.accept)) {
      return false;
    }
    const page = method === 'GET' || method === 'HEAD' ? nearestPage(path) : null;
    if (page !== null) {
      this.pages.redirect(reply, page);
    } else {
      void this.sendPage(request, reply, status);
    }
    return true;
  }

  /** Sends the page, with navigation for signed-in users. */
  private async sendPage(request: FastifyRequest, reply: FastifyReply, status: number): Promise<void> {
    // The 404 page must work even if the database is unreachable.
    const session = await this.sessions.open(request, reply).catch(() => null);
    this.pages.send(reply, status, viewerOf(session), (frame) =>
      renderErrorPage(frame, problemIn(request, status)),
    );
  }
}

function nearestPage(path: string): string | null {
  const found = NEAREST.find(([address]) => address.test(path));
  return found === undefined ? null : path.replace(...found);
}
