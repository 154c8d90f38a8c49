import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import type { PageReferrer } from '../presentation/page-answer';
import { Config } from '../config/config';
import { AccountPages } from './account-pages';
import { CsrfProtection } from './csrf';
import { explained, type OpenIdProblem } from './openid/openid-problems';
import { renderFailedSignInPage } from './pages/confirmation-page';
import { waitWords } from './pages/fields';
import { renderSignInPage, SignInPage } from './pages/sign-in-page';

/** Why the provider's response, or a request to begin, was refused. */
export type Refusal = {
  /** The page after sign-in; null for the home page. */
  next: string | null;
} & ({ problem: OpenIdProblem } | { retryAfter: number });

/** The Referrer-Policy after the provider's redirect, whose URL must not be revealed to other pages. */
const ANSWER_REFERRER: PageReferrer = 'strict-origin';

/** Sends the sign-in page. */
@Injectable()
export class SignInForms {
  constructor(
    private readonly csrf: CsrfProtection,
    private readonly pages: AccountPages,
    private readonly config: Config,
  ) {}

  /** Sends the sign-in page. */
  show(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    page: SignInPage,
    referrer: PageReferrer = 'same-origin',
  ): void {
    this.csrf.beginSignIn(request, reply);
    this.pages.send(
      reply,
      status,
      'signing in',
      (frame) => renderSignInPage(frame, page, referrer),
      referrer,
    );
  }

  /**
   * Sends the page after a failed sign-in or confirmation with the provider. A user with a session remains signed in, and
   * can only need a confirmation.
   */
  sendRefusal(
    request: FastifyRequest,
    reply: FastifyReply,
    session: SignedInUser | null,
    refusal: Refusal,
  ): void {
    const { next } = refusal;
    const { status, message: problem } = this.explain(refusal);
    if ('retryAfter' in refusal) {
      reply.header('retry-after', refusal.retryAfter);
    }
    if (session === null) {
      this.show(request, reply, status, { email: '', next, problem }, ANSWER_REFERRER);
      return;
    }
    this.pages.send(
      reply,
      status,
      { session },
      (frame) => renderFailedSignInPage(frame, { next, problem }, ANSWER_REFERRER),
      ANSWER_REFERRER,
    );
  }

  private explain(refusal: Refusal): { status: number; message: string } {
    return 'retryAfter' in refusal
      ? { status: 429, message: waitWords(refusal.retryAfter) }
      : explained(refusal.problem, this.config.openId?.name ?? '');
  }
}
