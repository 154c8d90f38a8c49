import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../platform/access/actor';
import { SignedIn } from '../platform/access/route-access';
import { AccountPages } from '../account/account-pages';
import { PageController } from '../account/page-controller';
import { InSession } from '../account/session.guard';
import type { RawQuery } from '../common/lists/list-query';
import { HomeStore } from './home.store';
import { noticeIn } from './notices';
import { renderHomePage } from './pages/home-page';

/** The first page after sign-in, which lists the user's teams and projects. */
@SignedIn()
@PageController()
export class HomeController {
  constructor(
    private readonly home: HomeStore,
    private readonly pages: AccountPages,
  ) {}

  @Get()
  async show(
    @InSession() session: SignedInUser,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const teams = await this.home.read(session.userId);
    this.pages.send(reply, 200, { session }, (frame) => renderHomePage(frame, teams, noticeIn(query)));
  }
}
