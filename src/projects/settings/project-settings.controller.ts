import { Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, PathItem, ProjectScope } from '../../platform/access/scope';
import type { Shown } from '../../common/http/answers';
import { ChangeOperation, ShowOperation } from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import { ProjectSettingsRecord, UpdateProjectSettings } from './project-settings.record';
import { ProjectSettingsService } from './project-settings.service';
import { SETTINGS_SOURCES } from './project-settings.store';

/** Settings have the id of their project, and a separate version. */
const settingsPath: PathItem = { param: 'project', table: 'project_settings', parentColumn: 'id' };

@ApiTags('Projects')
@Controller('projects/:project/settings')
@InProject({ collection: 'record', items: [settingsPath], sources: SETTINGS_SOURCES })
export class ProjectSettingsController {
  constructor(private readonly settings: ProjectSettingsService) {}

  @Get()
  @Can('read')
  @ShowOperation(ProjectSettingsRecord, {
    id: 'showProjectSettings',
    summary: 'Show the settings of a project',
    description: 'Returns the settings for events, statistics and sharing.',
  })
  show(@InScope() scope: ProjectScope): Promise<Shown<ProjectSettingsRecord>> {
    return this.settings.show(scope);
  }

  @Patch()
  @Can('project:settings')
  @ChangeOperation(ProjectSettingsRecord, UpdateProjectSettings, {
    id: 'updateProjectSettings',
    summary: 'Update the settings of a project',
    description: `\`allowed_origins\` and \`events_per_minute\` protect the project from forged events. They apply immediately in the process that responds, and within a second in all other processes. Collected events are kept. Absent fields stay unchanged, and \`null\` clears a nullable field. Read-only fields are accepted if they have their current values.`,
  })
  update(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateProjectSettings, ProjectSettingsRecord) submission: Submission<UpdateProjectSettings>,
  ): Promise<Shown<ProjectSettingsRecord>> {
    return this.settings.update(scope, submission);
  }
}
