import { randomUUID } from 'node:crypto';
import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { HistoryService } from '../../audit/history/history.service';
import { entryPath } from '../../audit/history/history.store';
import { RevertService } from '../../audit/history/revert/revert.service';
import type { RawQuery } from '../../common/lists/list-query';
import { readPage } from '../../common/lists/pagination';
import { pageActor, type SignedInUser } from '../../platform/access/actor';
import { roleAllows } from '../../platform/access/roles';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace, type ProjectScope } from '../../platform/access/scope';
import { withMoments } from '../../presentation/text/dates';
import { ProjectsService } from '../../projects/projects.service';
import { ApiCalls } from '../forms/api-calls';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { ProjectPages } from '../project-pages';
import { renderHistoryPage } from './history-page';
import { ENTRIES_PER_PAGE, filterOf, readHistoryRequest, type HistoryRequest } from './history-request';
import { REVERT_FORM, revertCall, RevertSubject } from './revert-form';

/** The page with a project's changes. */
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

  /** For each entry that the role may revert: why a revert would be rejected now; null if it would succeed. */
  private revertsOf(scope: ProjectScope, entries: readonly AuditEntryRecord[]) {
    const mayRevert = (entry: AuditEntryRecord): boolean => {
      const permission = this.reverts.permissionFor(entry);
      return permission !== null && roleAllows(scope.role, permission);
    };
    return this.reverts.obstacles(scope, entries.filter(mayRevert));
  }
}

/** The form that undoes a change. */
@SignedIn()
@InProject({ collection: 'record', items: [entryPath] })
@PageController('projects/:project/audit/:entry')
export class RevertPagesController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly projects: ProjectsService,
    private readonly history: HistoryService,
    private readonly reverts: RevertService,
    private readonly api: ApiCalls,
  ) {}

  @Get('revert/')
  async show(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, REVERT_FORM, await this.read(place, visit.request));
  }

  @PostForm('revert/')
  async revert(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, REVERT_FORM, () => this.read(place, visit.request));
  }

  private async read(place: ProjectPlace, request: FastifyRequest): Promise<RevertSubject> {
    const { projectId, role, items } = place;
    const [{ record: project }, entry] = await Promise.all([
      this.projects.show(place),
      this.history.entry(projectId, items.entry.id),
    ]);
    const permission = this.reverts.permissionFor(entry) ?? 'definitions:write';
    const expected = roleAllows(role, permission)
      ? await this.expected(request, projectId, entry.id)
      : { problems: [] };
    return { role, project, entry, permission, expected };
  }

  /** The API's response to a dry run. */
  private async expected(
    request: FastifyRequest,
    projectId: number,
    entryId: number,
  ): Promise<RevertSubject['expected']> {
    const { path, ...call } = revertCall(projectId, entryId);
    const dryRun = { ...call, path: `${path}?dry_run=1` };
    const { status, body } = await this.api.send(request, dryRun, randomUUID());
    if (status === 200) {
      return { entry: body as AuditEntryRecord };
    }
    const { message, errors } = body as { message: string; errors?: Record<string, string[]> };
    const problems = errors === undefined ? [message] : Object.values(errors).flat();
    return { problems: problems.map(withMoments) };
  }
}
