import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { VariationsModule } from '../variations/variations.module';
import { ExperimentCloneService } from './experiment-clone.service';
import { ExperimentInserter } from './experiment-inserter';
import { ExperimentReader } from './experiment-reader';
import { ExperimentStatusService } from './experiment-status.service';
import { ExperimentsController } from './experiments.controller';
import { ExperimentsService } from './experiments.service';
import { ItemUsers } from './item-users';
import { ShareTokensService } from './share-tokens.service';

@Module({
  imports: [ProjectsModule, VariationsModule],
  controllers: [ExperimentsController],
  providers: [
    ExperimentsService,
    ExperimentReader,
    ExperimentInserter,
    ExperimentStatusService,
    ExperimentCloneService,
    ItemUsers,
    ShareTokensService,
  ],
  exports: [ExperimentsService, ExperimentReader, ExperimentStatusService, ShareTokensService],
})
export class ExperimentsModule {}
