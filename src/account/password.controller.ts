import { Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { SignedIn } from '../platform/access/route-access';
import { NotFoundError } from '../common/errors/api-errors';
import { FormFields, TakesForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import { Config } from '../config/config';
import { AccountPages } from './account-pages';
import { PageController } from './page-controller';
import { PasswordChangeService } from './password-change.service';
import { PasswordPage, renderNoPasswordPage, renderPasswordPage } from './pages/password-page';
import { Form, InSession } from './session.guard';

const PATH = 'settings/password';

/** The password page of the signed-in user. */
@SignedIn()
@PageController(PATH)
export class PasswordController {
  constructor(
    private readonly changes: PasswordChangeService,
    private readonly pages: AccountPages,
    private readonly config: Config,
  ) {}

  @Get()
  async show(
    @InSession() session: SignedInUser,
    @Query() { notice }: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.requirePasswords();
    if (await this.changes.hasPassword(session)) {
      this.sendForm(reply, 200, session, { isChanged: notice === 'changed' });
    } else {
      this.sendNoPassword(reply, 200, session);
    }
  }

  @TakesForm()
  @Post()
  async change(
    @InSession() session: SignedInUser,
    @Form() { current = '', password = '', repeated = '' }: FormFields,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.requirePasswords();
    const change = await this.changes.change(session, { current, password, repeated });
    if (change.outcome === 'no password') {
      this.sendNoPassword(reply, 422, session);
    } else if (change.outcome === 'refused') {
      this.sendForm(reply, 422, session, { errors: change.errors });
    } else if (change.outcome === 'too many') {
      const { retryAfter } = change;
      reply.header('retry-after', retryAfter);
      this.sendForm(reply, 429, session, { retryAfter });
    } else {
      this.pages.redirect(reply, `/${PATH}?notice=changed`);
    }
  }

  /** The page does not exist if password sign-in is switched off. */
  private requirePasswords(): void {
    if (!this.config.hasPasswords) {
      throw new NotFoundError();
    }
  }

  private sendForm(reply: FastifyReply, status: number, session: SignedInUser, page: PasswordPage): void {
    this.pages.send(reply, status, { session }, (frame) => renderPasswordPage(frame, page));
  }

  private sendNoPassword(reply: FastifyReply, status: number, session: SignedInUser): void {
    this.pages.send(reply, status, { session }, renderNoPasswordPage);
  }
}
