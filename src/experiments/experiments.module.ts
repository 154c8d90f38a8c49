import { Global, Module } from '@nestjs/common';
import { ExperimentAttachments } from '../projects/dependents';
import { ProjectsModule } from '../projects/projects.module';
import { VariationsModule } from '../variations/variations.module';
import { AttachmentsService } from './attachments.service';
import { ExperimentCloneService } from './experiment-clone.service';
import { ExperimentInserter } from './experiment-inserter';
import { ExperimentReader } from './experiment-reader';
import { ExperimentStatusService } from './experiment-status.service';
import { ExperimentStore } from './experiment.store';
import { ExperimentsController } from './experiments.controller';
import { ExperimentsService } from './experiments.service';
import { PreviewRotationService } from './preview-rotation.service';
import { ShareTokensService } from './share-tokens.service';

/** Global, because what is attached asks for its experiments by an interface and does not know this module. */
@Global()
@Module({
  imports: [ProjectsModule, VariationsModule],
  controllers: [ExperimentsController],
  providers: [
    ExperimentsService,
    ExperimentStore,
    ExperimentReader,
    ExperimentInserter,
    ExperimentStatusService,
    ExperimentCloneService,
    { provide: ExperimentAttachments, useClass: AttachmentsService },
    PreviewRotationService,
    ShareTokensService,
  ],
  exports: [
    ExperimentAttachments,
    ExperimentsService,
    ExperimentReader,
    ExperimentStatusService,
    ExperimentStore,
    PreviewRotationService,
    ShareTokensService,
  ],
})
export class ExperimentsModule {}
