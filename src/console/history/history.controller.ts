import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import type { RawQuery } from '../../common/lists/list-query';
import { readPage } from '../../common/lists/pagination';
import { HistoryService } from '../../audit/history/history.service';
import { RevertService } from '../../audit/history/revert/revert.service';
import { ProjectPages } from '../project-pages';
import { renderHistoryPage } from './history-page';
import { ENTRIES_PER_PAGE, filterOf, type HistoryRequest, readHistoryRequest } from './history-request';

/** The page with the changes of a project. */
@SignedIn()
@InProject({ collection: 'record', items: [] })
@PageController('projects/:project')
export class HistoryPagesController {
  constructor(
    private readonly history: HistoryService,
    private readonly reverts: RevertService,
    private readonly pages: ProjectPages,
  ) {}

  @Get('audit/')
  list(@InPlace() place: ProjectPlace, @Query() query: RawQuery, @Res() reply: FastifyReply): Promise<void> {
    const content = this.read(place.projectId, readHistoryRequest(query));
    return this.pages.send(reply, place, content, renderHistoryPage);
  }

  private async read(projectId: number, asked: HistoryRequest) {
    const filter = filterOf(asked);
    const [{ list, page, lastPage }, authors] = await Promise.all([
      readPage(asked.page, ENTRIES_PER_PAGE, (number) =>
        this.history.list(projectId, filter, { number, perPage: ENTRIES_PER_PAGE }),
      ),
      this.history.authors(projectId),
    ]);
    const revertible = this.reverts.permissionFor.bind(this.reverts);
    return { request: { ...asked, page }, list, lastPage, authors, revertible };
  }
}
