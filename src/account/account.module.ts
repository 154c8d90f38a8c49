import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { NowherePages } from '../common/errors/nowhere-pages';
import { UsersModule } from '../users/users.module';
import { AccountPages } from './account-pages';
import { Attempts } from './attempts';
import { BrowserSessions } from './browser-sessions';
import { Cookies } from './cookies';
import { FormTokens } from './form-tokens';
import { MissingPages } from './missing-pages';
import { PageScriptController } from './page-script.controller';
import { PasswordChangeService } from './password-change.service';
import { PasswordController } from './password.controller';
import { SignInController } from './sign-in.controller';
import { SignInService } from './sign-in.service';
import { TokensController } from './tokens.controller';

/** Signing in, and the settings of whoever has. */
@Module({
  imports: [UsersModule, AuthModule],
  controllers: [SignInController, TokensController, PasswordController, PageScriptController],
  providers: [
    AccountPages,
    Attempts,
    BrowserSessions,
    Cookies,
    FormTokens,
    PasswordChangeService,
    SignInService,
    { provide: NowherePages, useClass: MissingPages },
  ],
  exports: [AccountPages, BrowserSessions, FormTokens, NowherePages, UsersModule],
})
export class AccountModule {}
