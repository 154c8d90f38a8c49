import { Module } from '@nestjs/common';
import { ProjectChanges } from './project-changes';
import { ProjectVersionsStore } from './project-versions.store';
import { ProjectWriter } from './project-writer';
import { ProjectStore } from './project.store';
import { ProjectsController, TeamProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';
import { ProjectSettingsController } from './settings/project-settings.controller';
import { ProjectSettingsService } from './settings/project-settings.service';
import { ProjectSettingsStore } from './settings/project-settings.store';

/** Writing inside projects, for areas that build on them. */
@Module({
  providers: [ProjectStore, ProjectVersionsStore, ProjectWriter, ProjectChanges],
  exports: [ProjectStore, ProjectVersionsStore, ProjectWriter, ProjectChanges],
})
export class ProjectWritesModule {}

/** Projects and their settings. What they ask of other areas (`dependents.ts`) is provided by global modules. */
@Module({
  imports: [ProjectWritesModule],
  controllers: [ProjectsController, TeamProjectsController, ProjectSettingsController],
  providers: [ProjectsService, ProjectSettingsService, ProjectSettingsStore],
  exports: [ProjectWritesModule, ProjectsService],
})
export class ProjectsModule {}
