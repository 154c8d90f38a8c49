import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { UsersModule } from '../users/users.module';
import { AccountPages } from './account-pages';
import { Attempts } from './attempts';
import { Cookies } from './cookies';
import { FormTokens } from './form-tokens';
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
  providers: [AccountPages, Attempts, Cookies, FormTokens, PasswordChangeService, SignInService],
  exports: [AccountPages, Cookies, FormTokens, UsersModule],
})
export class AccountModule {}
