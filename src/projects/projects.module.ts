import { Module } from '@nestjs/common';
import { ProjectChanges, ProjectVersionsStore } from './project-versions.store';
import { ProjectWriter } from './project-writer';
import { ProjectStore } from './project.store';
import { ProjectsController, TeamProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';
import { ProjectSettingsController } from './settings/project-settings.controller';
import { ProjectSettingsService } from './settings/project-settings.service';
import { ProjectSettingsStore } from './settings/project-settings.store';

/** Provides writes inside projects to modules that depend on projects. */
@Module({
  providers: [ProjectStore, ProjectVersionsStore, ProjectWriter, ProjectChanges],
  exports: [ProjectStore, ProjectVersionsStore, ProjectWriter, ProjectChanges],
})
export class ProjectWritesModule {}

/** Projects and their settings. Global modules provide the interfaces declared in `dependents.ts`. */
@Module({
  imports: [ProjectWritesModule],
  controllers: [TeamProjectsController, ProjectsController, ProjectSettingsController],
  providers: [ProjectsService, ProjectSettingsService, ProjectSettingsStore],
  exports: [ProjectWritesModule, ProjectsService, ProjectSettingsService],
})
export class ProjectsModule {}
