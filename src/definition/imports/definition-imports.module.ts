import { Module } from '@nestjs/common';
import { ExperimentsModule } from '../../experiments/experiments.module';
import { ProjectsModule } from '../../projects/projects.module';
import { RESOURCE_MODULES } from '../../resources/registry';
import { DefinitionImportsService } from './definition-imports.service';

/** Imports definitions from other products, for the admin command. */
@Module({
  imports: [ProjectsModule, ...RESOURCE_MODULES, ExperimentsModule],
  providers: [DefinitionImportsService],
  exports: [DefinitionImportsService],
})
export class DefinitionImportsModule {}
