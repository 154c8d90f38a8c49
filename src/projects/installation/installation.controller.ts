import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { LiveOperation } from '../../common/openapi/operations';
import { Installation } from './installation.record';
import { InstallationService } from './installation.service';

@ApiTags('Projects')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [], isLive: true })
export class InstallationController {
  constructor(private readonly installation: InstallationService) {}

  @Get('health')
  @Can('read')
  @LiveOperation(Installation, {
    id: 'checkInstallation',
    summary: 'Check the installation of a project',
    description: `Returns when and where the snippet was last seen, when the last exposure arrived, why messages were rejected in the last hour, and whether the sample ratio of running experiments is right. \`GET .../events/recent\` shows the messages themselves.

A proxy or CDN that caches the snippet hides its delivery; the messages of the snippet are still seen. Anyone with the client key can report any host. The response has no ETag.

This is about one project. Operators check the server at \`/health/ready\`.`,
  })
  show(@InScope() { projectId }: ProjectScope): Promise<Installation> {
    return this.installation.check(projectId);
  }
}
