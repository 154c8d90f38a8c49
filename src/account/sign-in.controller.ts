import { Controller, Get, Ip, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../access/actor';
import { Public, SignedIn } from '../access/route-access';
import { FormFields, TakesForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import type { VerifiedUser } from '../users/session.store';
import { Sessions } from '../users/sessions';
import { AccountPages, HOME } from './account-pages';
import { BrowserSessions } from './browser-sessions';
import { CsrfProtection } from './csrf';
import { sameOriginPath } from './same-origin-redirect';
import { PageErrorFilter } from './page-error.filter';
import { renderSignInPage, SignInPage } from './pages/sign-in-page';
import { SessionCookies } from './session-cookies';
import { Form, InSession } from './session.guard';
import { SignInOutcome, SignInService } from './sign-in.service';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Sign-in and sign-out. */
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller()
export class SignInController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: Sessions,
    private readonly browsers: BrowserSessions,
    private readonly cookies: SessionCookies,
    private readonly csrf: CsrfProtection,
    private readonly pages: AccountPages,
  ) {}

  @Public()
  @Get('login')
  async show(
    @Query() { next, notice, retried }: RawQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const goesTo = sameOriginPath(text(next));
    if ((await this.browsers.open(request, reply)) !== null) {
      this.pages.redirect(reply, goesTo ?? HOME);
      return;
    }
    if (this.browsers.isAmbiguous(request) && retried === undefined) {
      // This response removes foreign cookies. The cookie that proves the session may remain.
      this.pages.redirect(
        reply,
        `/login?retried=yes${goesTo === null ? '' : `&next=${encodeURIComponent(goesTo)}`}`,
      );
      return;
    }
    this.sendForm(request, reply, 200, { email: '', next: goesTo, isSignedOut: notice === 'signed-out' });
  }

  @Public()
  @TakesForm()
  @Post('login')
  async signIn(
    @Form() form: FormFields,
    @Ip() ip: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.browsers.open(request, reply);
    await this.csrf.checkSignIn(request);
    const { email = '', password = '' } = form;
    const next = sameOriginPath(form.next);
    if (email.trim() === '' || password === '') {
      this.sendForm(request, reply, 422, { email, next, errors: missing(email, password) });
      return;
    }
    const begin = (user: VerifiedUser): Promise<boolean> => this.browsers.begin(request, reply, user);
    const outcome = await this.signIns.signIn({ email, password, ip, begin });
    this.answer(request, reply, outcome, { email, next });
  }

  @SignedIn()
  @TakesForm()
  @Post('logout')
  async signOut(@InSession() session: SignedInUser, @Res() reply: FastifyReply): Promise<void> {
    await this.sessions.end(session);
    this.cookies.clear(reply, 'session');
    this.pages.redirect(reply, '/login?notice=signed-out');
  }

  private answer(
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: SignInOutcome,
    page: Pick<SignInPage, 'email' | 'next'>,
  ): void {
    if (outcome.outcome === 'refused') {
      this.sendForm(request, reply, 422, { ...page, isRefused: true });
      return;
    }
    if (outcome.outcome === 'too many') {
      const { retryAfter } = outcome;
      reply.header('retry-after', retryAfter);
      this.sendForm(request, reply, 429, { ...page, retryAfter });
      return;
    }
    this.pages.redirect(reply, page.next ?? HOME);
  }

  private sendForm(request: FastifyRequest, reply: FastifyReply, status: number, page: SignInPage): void {
    this.csrf.beginSignIn(request, reply);
    this.pages.send(reply, status, 'signing in', (frame) => renderSignInPage(frame, page));
  }
}

function missing(email: string, password: string): SignInPage['errors'] {
  return {
    ...(email.trim() === '' && { email: 'Enter your e-mail address.' }),
    ...(password === '' && { password: 'Enter your password.' }),
  };
}
