import { Global, Module } from '@nestjs/common';
import { ExperimentPublisher } from '../experiments/experiment-publisher';
import { LiveNameSource } from '../events/live-names';
import { ProjectsModule } from '../projects/projects.module';
import { ResultReadsModule } from '../results/results.module';
import { VariationsModule } from '../experiments/variations/variations.module';
import { OutboxModule } from '../webhooks/outbox';
import { Availability, DeliveryCounters } from './availability';
import { PublicationHistory } from './changes/publication-history.service';
import { PublicationHistoryStore } from './changes/publication-history.store';
import {
  ProjectPublicationsController,
  RollbacksController,
  PublicationsController,
} from './publications.controller';
import { DefinitionsStore } from './definitions.store';
import { DeletedCopies } from './deleted-copies';
import { PreviewScripts } from './preview-scripts';
import { PublicationBuilder } from './publication-builder';
import { PublicationPlans } from './publication-plans';
import { PublicationStore } from './publication.store';
import { PublicationsService } from './publications.service';
import { PublishedNames } from './published-names.store';
import { PublishedProjects } from './published-projects';
import { Publisher } from './publisher';
import { RevisionCache } from './revision-cache';
import { RevisionSource } from './revision-source';
import { PayloadStreams } from './streams/payload-streams';

/**
 * This module is global because experiments and events use publications through interfaces, without depending on this
 * module.
 */
@Global()
@Module({
  imports: [ProjectsModule, VariationsModule, ResultReadsModule, OutboxModule],
  controllers: [PublicationsController, ProjectPublicationsController, RollbacksController],
  providers: [
    Availability,
    DefinitionsStore,
    DeletedCopies,
    DeliveryCounters,
    PayloadStreams,
    PreviewScripts,
    PublicationBuilder,
    PublicationHistory,
    PublicationHistoryStore,
    PublicationPlans,
    PublicationStore,
    PublicationsService,
    { provide: LiveNameSource, useClass: PublishedNames },
    PublishedProjects,
    Publisher,
    { provide: ExperimentPublisher, useExisting: Publisher },
    RevisionCache,
    RevisionSource,
  ],
  exports: [
    Availability,
    DeletedCopies,
    DeliveryCounters,
    ExperimentPublisher,
    LiveNameSource,
    PayloadStreams,
    PreviewScripts,
    PublicationHistory,
    PublicationsService,
    PublishedProjects,
  ],
})
export class PublishingModule {}
