import { Get } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { roleAllows } from '../../platform/access/roles';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { PageController } from '../../account/page-controller';
import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { HistoryService } from '../../audit/history/history.service';
import { entryPath } from '../../audit/history/history.store';
import { RevertService } from '../../audit/history/revert/revert.service';
import { withMoments } from '../../presentation/text/dates';
import { ProjectsService } from '../../projects/projects.service';
import { ApiCalls } from '../forms/api-calls';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { REVERT_FORM, revertCall, RevertSubject } from './revert-form';

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
