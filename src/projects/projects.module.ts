import { Module } from '@nestjs/common';
import { ItemObservers } from './item-observers';
import { ProjectWriter } from './project-writer';
import { ProjectsController, TeamProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';

@Module({
  controllers: [ProjectsController, TeamProjectsController],
  providers: [ProjectsService, ProjectWriter, ItemObservers],
  exports: [ProjectsService, ProjectWriter, ItemObservers],
})
export class ProjectsModule {}
