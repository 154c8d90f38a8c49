import { Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import type { Listed, Shown } from '../../common/http/answers';
import type { RawQuery } from '../../common/lists/list-query';
import { ActionOperation, LiveOperation } from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import { ProjectRecord } from '../../projects/project.record';
import { PublicationsService, PublishProject } from '../publications.service';
import { parsePublicationPage, PublicationHistory } from './publication-history.service';
import { revisionPath } from './publication-history.store';
import { PublicationPreview, PublicationRecord } from './publication.record';
import { PREVIEW_TEXT, PublicationListOperation, ROLLBACK_TEXT } from './publications.reference';

/** The publications of a project, and the preview of the next one. */
@ApiTags('Experiments')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [], isLive: true })
export class ProjectPublicationsController {
  constructor(private readonly history: PublicationHistory) {}

  @Get('publications')
  @Can('read')
  @PublicationListOperation()
  list(@InScope() { projectId }: ProjectScope, @Query() query: RawQuery): Promise<Listed<PublicationRecord>> {
    return this.history.list(projectId, parsePublicationPage(query));
  }

  @Get('publications/preview')
  @Can('read')
  @LiveOperation(PublicationPreview, PREVIEW_TEXT, { canFail: true })
  preview(@InScope() { projectId }: ProjectScope): Promise<PublicationPreview> {
    return this.history.preview(projectId);
  }
}

@ApiTags('Experiments')
@Controller('projects/:project/publications/:revision')
@InProject({ collection: 'experiments', items: [revisionPath], subject: 'project' })
export class RollbacksController {
  constructor(private readonly publications: PublicationsService) {}

  @Post('rollback')
  @HttpCode(200)
  @Can('experiments:run')
  @ActionOperation(ProjectRecord, PublishProject, ROLLBACK_TEXT)
  async rollBack(
    @InScope() scope: ProjectScope,
    @Submitted(PublishProject) submission: Submission<PublishProject>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Shown<ProjectRecord>> {
    const project = await this.publications.rollBackIn(scope, scope.items.revision.id, submission);
    reply.header('x-snippet-bytes', project.bytes);
    return project;
  }
}
