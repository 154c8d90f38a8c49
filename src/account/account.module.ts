import { Module } from '@nestjs/common';
import { AuthModule } from '../platform/authentication/auth.module';
import { NotFoundPages } from '../common/errors/error.filter';
import { TeamsModule } from '../teams/teams.module';
import { UsersModule } from '../users/users.module';
import { AccountPages } from './account-pages';
import { BrowserSessions } from './browser-sessions';
import { BruteForceProtection } from './brute-force';
import { ConfirmationPages } from './confirmation-pages';
import { CsrfProtection } from './csrf';
import { InvitationController } from './invitation.controller';
import { InvitationService } from './invitation.service';
import { HtmlNotFoundPages } from './not-found-pages';
import { OpenIdController } from './openid/openid.controller';
import { OpenIdProvider } from './openid/openid-provider';
import { OpenIdService } from './openid/openid.service';
import { OpenIdSignIn } from './openid/openid-sign-in';
import { OpenIdStates } from './openid/openid-state';
import { PageScriptController } from './page-script.controller';
import { PasswordChangeService } from './password-change.service';
import { PasswordConfirmations } from './password-confirmation';
import { PasswordController } from './password.controller';
import { SessionCookies } from './session-cookies';
import { SessionStore } from './session-store';
import { SessionsController } from './sessions.controller';
import { SignInController } from './sign-in.controller';
import { SignInForms } from './sign-in-forms';
import { FailedSignIns, SignInService } from './sign-in.service';
import { TokensController } from './tokens.controller';

/** Sign-in, and the settings of signed-in users. */
@Module({
  imports: [UsersModule, AuthModule, TeamsModule],
  controllers: [
    SignInController,
    OpenIdController,
    TokensController,
    PasswordController,
    SessionsController,
    InvitationController,
    PageScriptController,
  ],
  providers: [
    AccountPages,
    BrowserSessions,
    BruteForceProtection,
    ConfirmationPages,
    CsrfProtection,
    FailedSignIns,
    InvitationService,
    OpenIdProvider,
    OpenIdService,
    OpenIdSignIn,
    OpenIdStates,
    PasswordChangeService,
    PasswordConfirmations,
    SessionCookies,
    SessionStore,
    SignInForms,
    SignInService,
    { provide: NotFoundPages, useClass: HtmlNotFoundPages },
  ],
  exports: [
    AccountPages,
    BrowserSessions,
    ConfirmationPages,
    CsrfProtection,
    NotFoundPages,
    SessionStore,
    UsersModule,
  ],
})
export class AccountModule {}
