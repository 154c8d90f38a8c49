import { Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { SignedIn } from '../platform/access/route-access';
import { NotFoundError } from '../common/errors/api-errors';
import { TakesForm } from '../common/http/json-body';
import type { RawQuery } from '../common/lists/list-query';
import { idOf } from '../common/validation/values';
import { Sessions } from '../users/sessions';
import { AccountPages } from './account-pages';
import { PageController } from './page-controller';
import { ended, renderSessionsPage } from './pages/sessions-page';
import { InSession } from './session.guard';

const PATH = 'settings/sessions';

/** The sessions of the signed-in user. */
@SignedIn('id')
@PageController(PATH)
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly pages: AccountPages,
  ) {}

  @Get()
  async list(
    @InSession() session: SignedInUser,
    @Query() { notice }: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const sessions = await this.sessions.list(session.userId);
    const page = { sessions, currentId: session.sessionId, ended: ended(notice) };
    this.pages.send(reply, 200, { session }, (frame) => renderSessionsPage(frame, page));
  }

  /** Ends another session. Signing out ends the current one. */
  @TakesForm()
  @Post(':id/end')
  async end(
    @InSession() { userId, sessionId }: SignedInUser,
    @Param('id') text: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const id = idOf(text);
    if (id === null || id === sessionId || !(await this.sessions.endOther(userId, id))) {
      throw new NotFoundError();
    }
    this.pages.redirect(reply, `/${PATH}?notice=ended`);
  }

  @TakesForm()
  @Post('end-others')
  async endOthers(
    @InSession() { userId, sessionId }: SignedInUser,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.endOthers(userId, sessionId);
    this.pages.redirect(reply, `/${PATH}?notice=all-ended`);
  }
}
