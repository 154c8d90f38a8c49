import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pageActor, type SignedInUser } from '../../platform/access/actor';
import { roleAllows } from '../../platform/access/roles';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace, type ProjectScope } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
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
  list(
    @InSession() { userId }: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Query() query: RawQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const content = this.read(
      { ...place, actor: pageActor(userId), ifMatch: null },
      readHistoryRequest(query),
    );
    return this.pages.send(reply, place, content, renderHistoryPage);
  }

  private async read(scope: ProjectScope, asked: HistoryRequest) {
    const { projectId } = scope;
    const filter = filterOf(asked);
    const [{ list, page, lastPage }, authors] = await Promise.all([
      readPage(asked.page, ENTRIES_PER_PAGE, (number) =>
        this.history.list(projectId, filter, { number, perPage: ENTRIES_PER_PAGE }),
      ),
      this.history.authors(projectId),
    ]);
    const reverts = await this.revertsOf(scope, list.rows);
    return { request: { ...asked, page }, list, lastPage, authors, reverts };
  }

  /** Why the entries that the role may revert cannot be reverted now, by entry. */
  private revertsOf(scope: ProjectScope, entries: readonly AuditEntryRecord[]) {
    const mayRevert = (entry: AuditEntryRecord): boolean => {
      const permission = this.reverts.permissionFor(entry);
      return permission !== null && roleAllows(scope.role, permission);
    };
    return this.reverts.obstacles(scope, entries.filter(mayRevert));
  }
}
