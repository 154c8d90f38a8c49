import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config/config';
import { AccountPages } from './account-pages';
import { CsrfProtection } from './csrf';
import { explained, type OpenIdProblem } from './openid/openid-problems';
import { renderSignInPage, SignInPage } from './pages/sign-in-page';

type Answer = { next: string | null } & ({ problem: OpenIdProblem } | { retryAfter: number });

/** Sends the sign-in page. */
@Injectable()
export class SignInForms {
  constructor(
    private readonly csrf: CsrfProtection,
    private readonly pages: AccountPages,
    private readonly config: Config,
  ) {}

  /**
   * Sends the sign-in page.
   * @param isAnswer whether the request is the provider's redirect, whose URL must not be revealed to other pages
   */
  show(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    page: SignInPage,
    isAnswer = false,
  ): void {
    this.csrf.beginSignIn(request, reply);
    const referrer = isAnswer ? 'strict-origin' : 'same-origin';
    this.pages.send(
      reply,
      status,
      'signing in',
      (frame) => renderSignInPage(frame, page, referrer),
      referrer,
    );
  }

  /** Sends the page after a failed sign-in with the provider. */
  send(request: FastifyRequest, reply: FastifyReply, { next, ...answer }: Answer): void {
    if ('retryAfter' in answer) {
      reply.header('retry-after', answer.retryAfter);
      this.show(request, reply, 429, { email: '', next, retryAfter: answer.retryAfter }, true);
      return;
    }
    const { status, message } = explained(answer.problem, this.config.openId?.name ?? '');
    this.show(request, reply, status, { email: '', next, problem: message }, true);
  }
}
