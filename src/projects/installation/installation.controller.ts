import { Controller, Get, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { LiveOperation } from '../../common/openapi/operations';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { ResultsModule } from '../../results/results.module';
import { Installation } from './installation.record';
import { InstallationService } from './installation.service';
import { InstallationStore } from './installation.store';

@ApiTags('Projects')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [], isLive: true })
class InstallationController {
  constructor(private readonly installation: InstallationService) {}

  @Get('health')
  @Can('read')
  @LiveOperation(Installation, {
    id: 'checkInstallation',
    summary: 'Check the installation of a project',
    description: `Returns when and where the snippet was last seen, when the last exposure arrived, why messages were rejected in the last hour, and whether running experiments have a sample ratio mismatch. \`GET .../events/recent\` shows the messages themselves.

If a proxy or CDN caches the snippet, the server does not see its delivery, but still sees its messages. Anyone with the client key can report any host. The response has no ETag.

This operation checks one project. To check the server itself, use \`/health/ready\`.`,
  })
  show(@InScope() { projectId }: ProjectScope): Promise<Installation> {
    return this.installation.check(projectId);
  }
}

/** Checks whether a project's installation works. */
@Module({
  imports: [ResultsModule],
  controllers: [InstallationController],
  providers: [InstallationService, InstallationStore],
  exports: [InstallationService],
})
export class InstallationModule {}
