import { Controller, Patch, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { Shown } from '../common/http/answers';
import { ChangeOperation } from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { experimentPath } from '../experiments/experiment.store';
import { ProjectRecord } from '../projects/project.record';
import { PublicationsService, PublishProject } from './publications.service';

const DESCRIPTION = `
Edits of running experiments go live when you publish them; starting and pausing go live automatically. Publishes all
running experiments of the project in their current state. If one cannot be built, nothing is published and the response
is 422. \`snippet_revision\` increases by 1 if the new script or payload differs from the live one. \`X-Snippet-Bytes\` is
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
