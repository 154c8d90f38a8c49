import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../../platform/access/actor';
import { SignedIn } from '../../platform/access/route-access';
import { AccountPages } from '../../account/account-pages';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import type { RawQuery } from '../../common/lists/list-query';
import { ExperimentSearch } from './experiment-search';
import { renderSearchPage } from './search-page';
import { readSearchRequest } from './search-request';

/** The search for experiments in all the user's teams. */
@SignedIn()
@PageController('experiments')
export class ExperimentSearchController {
  constructor(
    private readonly search: ExperimentSearch,
    private readonly pages: AccountPages,
  ) {}

  @Get()
  async show(
    @InSession() session: SignedInUser,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const result = await this.search.read(session.userId, readSearchRequest(query));
    this.pages.send(reply, 200, { session }, (frame) => renderSearchPage(frame, result));
  }
}
