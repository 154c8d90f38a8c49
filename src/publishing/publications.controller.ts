import { Controller, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Listed, Shown } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import { operation, PagedList } from '../common/openapi/operation';
import { ActionOperation, ChangeOperation, LiveOperation } from '../common/openapi/operations';
import { INVALID, MISSING } from '../common/openapi/responses';
import { Submission, Submitted } from '../common/validation/submission';
import { experimentPath } from '../experiments/experiment.store';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import { ProjectRecord } from '../projects/project.record';
import {
  DEFAULT_PUBLICATIONS,
  MAX_PUBLICATIONS,
  parsePublicationPage,
  PublicationHistory,
} from './changes/publication-history.service';
import { revisionPath } from './changes/publication-history.store';
import { PublicationPreview, PublicationRecord } from './changes/publication.record';
import { PublicationsService, PublishProject } from './publications.service';

const DESCRIPTION = `
Publishes all running experiments of the project in their current state. Edits to running experiments go live only when you publish them; starting and pausing take effect without publishing. Browsers show a change within two minutes. If one of them cannot be built, nothing is published and the response is 422. \`snippet_revision\` increases by 1 if the new script or payload differs from the live one. \`X-Snippet-Bytes\` is
the size of the compressed script. \`If-Match\` and the response refer to the project.
`.trim();

@ApiTags('Experiments')
@Controller('projects/:project/experiments/:experiment/publish')
@InProject({ collection: 'experiments', items: [experimentPath], subject: 'project' })
export class PublicationsController {
  constructor(private readonly publications: PublicationsService) {}

  @Patch()
  @Can('experiments:run')
  @ChangeOperation(
    ProjectRecord,
    PublishProject,
    { id: 'publishProject', summary: 'Publish the project', description: DESCRIPTION },
    { bodyRequired: false, headers: ['X-Snippet-Bytes'] },
  )
  async publish(
    @InScope() scope: ProjectScope,
    @Submitted(PublishProject) submission: Submission<PublishProject>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Shown<ProjectRecord>> {
    const project = await this.publications.publish(scope, submission);
    reply.header('x-snippet-bytes', project.bytes);
    return project;
  }
}

const LIST = `Returns the publications of the project, newest first. The first one is live. \`changes\` compares each publication
with the one before it, as text and by field, with a diff for code. Names are shown as they are now, not as they were when published. The response is always
paginated; \`page\` defaults to the first page.`;

const PREVIEW_TEXT = {
  id: 'previewPublication',
  summary: 'Preview a publication',
  description: `Returns the changes that publishing the project now would make, and stores nothing. \`changes\` is what the list of publications would show afterwards. \`experiments\` has the participants of each experiment that changes: edits to a running
experiment mix visitors who saw the old and the new version. If the project cannot be built, the response is 422, as for
publishing.`,
};

const ROLLBACK_TEXT = {
  id: 'rollBackPublication',
  summary: 'Roll back to a publication',
  description: `Makes the content of an earlier revision live again, as a new revision, except for experiments that are not running.
Definitions do not change, so the next publication publishes them again. If visitors already get the same content,
nothing is published. Rejected if a variation of a running experiment has been deleted since. \`If-Match\` and the
response refer to the project.`,
};

/** Describes the list of publications. */
const PublicationListOperation = (): MethodDecorator =>
  operation(
    { id: 'listPublications', summary: 'List publications', description: LIST },
    [],
    [
      PagedList(PublicationRecord, {
        plural: 'Publications',
        max: MAX_PUBLICATIONS,
        default: DEFAULT_PUBLICATIONS,
      }),
      MISSING,
      INVALID,
    ],
  );

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
  @ActionOperation(ProjectRecord, PublishProject, ROLLBACK_TEXT, { headers: ['X-Snippet-Bytes'] })
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
