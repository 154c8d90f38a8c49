import { Module } from '@nestjs/common';
import { ExperimentsModule } from '../experiments/experiments.module';
import { ProjectsModule } from '../projects/projects.module';
import { RESOURCE_MODULES, resourceItemsProvider } from '../resources/registry';
import { VariationsModule } from '../experiments/variations/variations.module';
import { DefinitionController } from './definition.controller';
import { DefinitionReader } from './definition-reader';
import { DefinitionService } from './definition.service';
import { DefinitionWriter, SectionWriters } from './definition-writer';
import { ExperimentWriter } from './experiment-writer';

/** The definition of a project as a document: configuration as code. */
@Module({
  imports: [ProjectsModule, ...RESOURCE_MODULES, VariationsModule, ExperimentsModule],
  controllers: [DefinitionController],
  providers: [
    DefinitionService,
    DefinitionReader,
    DefinitionWriter,
    ExperimentWriter,
    SectionWriters,
    resourceItemsProvider,
  ],
})
export class DefinitionModule {}
