import { Module } from '@nestjs/common';
import { ExperimentsModule } from '../../experiments/experiments.module';
import { ProjectsModule } from '../../projects/projects.module';
import { RESOURCE_MODULES, resourceItemsProvider } from '../../resources/registry';
import { VariationsModule } from '../../experiments/variations/variations.module';
import { HistoryController, RevertController } from './history.controller';
import { HistoryService } from './history.service';
import { HistoryStore } from './history.store';
import { RevertService } from './revert/revert.service';
import { Reverters } from './revert/reverters';

/** The REST API for projects' audit logs. */
@Module({
  imports: [ProjectsModule, ...RESOURCE_MODULES, VariationsModule, ExperimentsModule],
  controllers: [HistoryController, RevertController],
  providers: [HistoryService, HistoryStore, RevertService, Reverters, resourceItemsProvider],
  exports: [HistoryService, RevertService],
})
export class HistoryModule {}
