import { Controller, Get, Post, Query, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../access/actor';
import { SignedIn } from '../access/route-access';
import { FormFields, TakesForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import { AccountPages } from './account-pages';
import { PageErrorFilter } from './page-error.filter';
import { PasswordChangeService } from './password-change.service';
import { PasswordPage, renderPasswordPage } from './pages/password-page';
import { Form, InSession } from './session.guard';

const PATH = 'settings/password';

/** The password page of the signed-in user. */
@SignedIn()
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller(PATH)
export class PasswordController {
  constructor(
    private readonly changes: PasswordChangeService,
    private readonly pages: AccountPages,
  ) {}

  @Get()
  show(@InSession() session: SignedInUser, @Query() { notice }: RawQuery, @Res() reply: FastifyReply): void {
    this.sendForm(reply, 200, session, { isChanged: notice === 'changed' });
  }

  @TakesForm()
  @Post()
  async change(
    @InSession() session: SignedInUser,
    @Form() { current = '', password = '', repeated = '' }: FormFields,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const change = await this.changes.change(session, session.email, { current, password, repeated });
    if (change.outcome === 'refused') {
      this.sendForm(reply, 422, session, { errors: change.errors });
    } else if (change.outcome === 'too many') {
      const { retryAfter } = change;
      reply.header('retry-after', retryAfter);
      this.sendForm(reply, 429, session, { retryAfter });
    } else {
      this.pages.redirect(reply, `/${PATH}?notice=changed`);
    }
  }

  private sendForm(reply: FastifyReply, status: number, session: SignedInUser, page: PasswordPage): void {
    this.pages.send(reply, status, { session }, (frame) => renderPasswordPage(frame, page));
  }
}
