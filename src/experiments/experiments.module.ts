import { Global, Module } from '@nestjs/common';
import { ExperimentAttachments } from '../projects/dependents';
import { ProjectsModule } from '../projects/projects.module';
import { VariationsModule } from './variations/variations.module';
import { OutboxModule } from '../webhooks/outbox';
import { AttachmentsService } from './attachments.service';
import { ExperimentCloneService } from './experiment-clone.service';
import { ExperimentInserter } from './experiment-inserter';
import { ExperimentReader } from './experiment-reader';
import { ExperimentRestore } from './experiment-restore.service';
import { ExperimentStatusService } from './experiment-status.service';
import { ExperimentStore } from './experiment.store';
import { ExperimentsController } from './experiments.controller';
import { ExperimentsService } from './experiments.service';
import { PreviewRotationService } from './preview-rotation.service';
import { ShareTokensService } from './share-tokens.service';

/**
 * This module is global because attached records access experiments through an interface, without depending on this
 * module.
 */
@Global()
@Module({
  imports: [ProjectsModule, VariationsModule, OutboxModule],
  controllers: [ExperimentsController],
  providers: [
    ExperimentsService,
    ExperimentStore,
    ExperimentReader,
    ExperimentInserter,
    ExperimentRestore,
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
    ExperimentRestore,
    ExperimentStatusService,
    ExperimentStore,
    PreviewRotationService,
    ShareTokensService,
  ],
})
export class ExperimentsModule {}
