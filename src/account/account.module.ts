import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { NotFoundPages } from '../common/errors/not-found-pages';
import { UsersModule } from '../users/users.module';
import { AccountPages } from './account-pages';
import { BrowserSessions } from './browser-sessions';
import { BruteForceProtection } from './brute-force';
import { CsrfProtection } from './csrf';
import { HtmlNotFoundPages } from './not-found-pages';
import { PageScriptController } from './page-script.controller';
import { PasswordChangeService } from './password-change.service';
import { PasswordController } from './password.controller';
import { SessionCookies } from './session-cookies';
import { SessionStore } from './session-store';
import { SessionsController } from './sessions.controller';
import { SignInController } from './sign-in.controller';
import { SignInService } from './sign-in.service';
import { TokensController } from './tokens.controller';

/** Sign-in, and the settings of signed-in users. */
@Module({
  imports: [UsersModule, AuthModule],
  controllers: [
    SignInController,
    TokensController,
    PasswordController,
    SessionsController,
    PageScriptController,
  ],
  providers: [
    AccountPages,
    BrowserSessions,
    BruteForceProtection,
    CsrfProtection,
    PasswordChangeService,
    SessionCookies,
    SessionStore,
    SignInService,
    { provide: NotFoundPages, useClass: HtmlNotFoundPages },
  ],
  exports: [AccountPages, BrowserSessions, CsrfProtection, NotFoundPages, SessionStore, UsersModule],
})
export class AccountModule {}
