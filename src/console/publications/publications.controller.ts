import { Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PageController } from '../../account/page-controller';
import { Tags } from '../../common/http/etag';
import { firstNumber, type RawQuery } from '../../common/lists/list-query';
import { readPage } from '../../common/lists/pagination';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { ProjectsService } from '../../projects/projects.service';
import {
  DEFAULT_PUBLICATIONS,
  PublicationHistory,
} from '../../publishing/changes/publication-history.service';
import { revisionPath } from '../../publishing/changes/publication-history.store';
import { ConsoleForms, FormVisit, OnForm, PostForm } from '../forms/console-forms';
import { ProjectPages } from '../project-pages';
import { ExpectedChanges } from './changes';
import { renderPublicationsPage } from './publications-page';
import { ROLLBACK_FORM, RollbackSubject } from './rollback-form';

const PER_PAGE = DEFAULT_PUBLICATIONS;

/** The page with a project's publications. */
@SignedIn()
@InProject({ collection: 'record', items: [] })
@PageController('projects/:project')
export class PublicationPagesController {
  constructor(
    private readonly history: PublicationHistory,
    private readonly pages: ProjectPages,
  ) {}

  @Get('publications/')
  list(@InPlace() place: ProjectPlace, @Query() query: RawQuery, @Res() reply: FastifyReply): Promise<void> {
    const content = readPage(firstNumber(query, 'page') ?? 1, PER_PAGE, (number) =>
      this.history.list(place.projectId, { number, perPage: PER_PAGE }),
    );
    return this.pages.send(reply, place, content, renderPublicationsPage);
  }
}

/** The form that publishes an earlier revision again. */
@SignedIn()
@InProject({ collection: 'record', items: [revisionPath] })
@PageController('projects/:project/publications/:revision')
export class RollbackPagesController {
  constructor(
    private readonly forms: ConsoleForms,
    private readonly projects: ProjectsService,
    private readonly expected: ExpectedChanges,
    private readonly tags: Tags,
  ) {}

  @Get('rollback/')
  async show(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    this.forms.show(visit, ROLLBACK_FORM, await this.read(place));
  }

  @PostForm('rollback/')
  async rollBack(@InPlace() place: ProjectPlace, @OnForm() visit: FormVisit): Promise<void> {
    await this.forms.submit(visit, ROLLBACK_FORM, () => this.read(place));
  }

  /** Reads the project before the changes, so its ETag is not newer than the displayed data. */
  private async read(place: ProjectPlace): Promise<RollbackSubject> {
    const { projectId, role, items } = place;
    const revision = items.revision.id;
    const project = await this.projects.show(place);
    return {
      role,
      project: project.record,
      projectTag: this.tags.record(project.id, project.version),
      revision,
      expected: await this.expected.read(projectId, revision),
    };
  }
}
