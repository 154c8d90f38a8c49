import { Controller, Get, Ip, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public, SignedIn } from '../access/route-access';
import { FormFields, TakesForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import { OpenSession, Sessions } from '../users/sessions';
import { AccountPages, HOME } from './account-pages';
import { BrowserSessions } from './browser-sessions';
import { Cookies } from './cookies';
import { FormTokens } from './form-tokens';
import { ownPath } from './own-path';
import { PageErrorFilter } from './page-error.filter';
import { renderSignInPage, SignInPage } from './pages/sign-in-page';
import { Form, InSession } from './session.guard';
import { SignInOutcome, SignInService } from './sign-in.service';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Signing in and out. */
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller()
export class SignInController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: Sessions,
    private readonly browsers: BrowserSessions,
    private readonly cookies: Cookies,
    private readonly forms: FormTokens,
    private readonly pages: AccountPages,
  ) {}

  @Public()
  @Get('login')
  async show(
    @Query() { next, notice }: RawQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const goesTo = ownPath(text(next));
    if ((await this.browsers.find(request, reply)) !== null) {
      this.pages.redirect(reply, goesTo ?? HOME);
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
    this.forms.checkForSignIn(request);
    const { email = '', password = '' } = form;
    const next = ownPath(form.next);
    if (email.trim() === '' || password === '') {
      this.sendForm(request, reply, 422, { email, next, errors: missing(email, password) });
      return;
    }
    const replaced = this.cookies.read(request, 'session');
    const outcome = await this.signIns.signIn({ email, password, ip, replaced });
    this.answer(request, reply, outcome, { email, next });
  }

  @SignedIn()
  @TakesForm()
  @Post('logout')
  async signOut(@InSession() session: OpenSession, @Res() reply: FastifyReply): Promise<void> {
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
    this.cookies.setSession(reply, outcome.session);
    this.pages.redirect(reply, page.next ?? HOME);
  }

  private sendForm(request: FastifyRequest, reply: FastifyReply, status: number, page: SignInPage): void {
    const formToken = this.forms.forSignIn(request, reply);
    this.pages.send(reply, status, { formToken }, (frame) => renderSignInPage(frame, page));
  }
}

function missing(email: string, password: string): SignInPage['errors'] {
  return {
    ...(email.trim() === '' && { email: 'Type your e-mail address.' }),
    ...(password === '' && { password: 'Type your password.' }),
  };
}
