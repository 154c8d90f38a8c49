import { Get, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { Public, SignedIn } from '../platform/access/route-access';
import { FormFields, TakesForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import { Config } from '../config/config';
import type { VerifiedUser } from '../users/session.store';
import { Sessions } from '../users/sessions';
import { UsersService } from '../users/users.service';
import { AccountPages, HOME } from './account-pages';
import { BrowserSessions } from './browser-sessions';
import { CsrfProtection } from './csrf';
import { sameOriginPath } from './same-origin-redirect';
import { PageController } from './page-controller';
import type { SignInPage } from './pages/sign-in-page';
import { SessionCookies } from './session-cookies';
import { Form, InSession } from './session.guard';
import { SignInForms } from './sign-in-forms';
import { SignInOutcome, SignInService } from './sign-in.service';

const PASSWORDS_OFF = 'Password sign-in is disabled.';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Sign-in and sign-out. */
@PageController()
export class SignInController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: Sessions,
    private readonly browsers: BrowserSessions,
    private readonly cookies: SessionCookies,
    private readonly csrf: CsrfProtection,
    private readonly pages: AccountPages,
    private readonly users: UsersService,
    private readonly forms: SignInForms,
    private readonly config: Config,
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
      // This response removes the cookies that this server did not set. The session's own cookie may then be the only
      // one left.
      this.pages.redirect(
        reply,
        `/login?retried=yes${goesTo === null ? '' : `&next=${encodeURIComponent(goesTo)}`}`,
      );
      return;
    }
    const isFirstRun = !(await this.users.areAny());
    const isSignedOut = notice === 'signed-out';
    this.forms.show(request, reply, 200, { email: '', next: goesTo, isSignedOut, isFirstRun });
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
    const { email = '', password = '' } = form;
    const next = sameOriginPath(form.next);
    if (!this.config.hasPasswords) {
      this.forms.show(request, reply, 403, { email, next, problem: PASSWORDS_OFF });
      return;
    }
    await this.csrf.checkSignIn(request);
    if (email.trim() === '' || password === '') {
      this.forms.show(request, reply, 422, { email, next, errors: missing(email, password) });
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
      this.forms.show(request, reply, 422, { ...page, isRefused: true });
      return;
    }
    if (outcome.outcome === 'too many') {
      const { retryAfter } = outcome;
      reply.header('retry-after', retryAfter);
      this.forms.show(request, reply, 429, { ...page, retryAfter });
      return;
    }
    this.pages.redirect(reply, page.next ?? HOME);
  }
}

function missing(email: string, password: string): SignInPage['errors'] {
  return {
    ...(email.trim() === '' && { email: 'Enter your e-mail address.' }),
    ...(password === '' && { password: 'Enter your password.' }),
  };
}
