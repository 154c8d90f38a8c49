import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { VariationsModule } from '../variations/variations.module';
import { DefinitionsReader } from './definitions-reader';
import { PreviewScripts } from './preview-scripts';
import { PublicationStore } from './publication-store';
import { PublicationsController } from './publications.controller';
import { PublicationsService } from './publications.service';
import { PublishedProjects } from './published-projects';
import { Publisher } from './publisher';

@Module({
  imports: [ProjectsModule, VariationsModule],
  controllers: [PublicationsController],
  providers: [
    DefinitionsReader,
    PreviewScripts,
    PublicationStore,
    PublicationsService,
    PublishedProjects,
    Publisher,
  ],
  exports: [PreviewScripts, PublicationsService, PublishedProjects],
})
export class PublishingModule {}
