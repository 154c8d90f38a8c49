import { Global, Module } from '@nestjs/common';
import { ExperimentPublisher } from '../experiments/experiment-publisher';
import { ProjectsModule } from '../projects/projects.module';
import { VariationsModule } from '../variations/variations.module';
import { Availability } from './availability';
import { DefinitionsStore } from './definitions.store';
import { DeliveryCounters } from './delivery-counters';
import { PreviewScripts } from './preview-scripts';
import { PublicationBuilder } from './publication-builder';
import { PublicationPlans } from './publication-plans';
import { PublicationStore } from './publication.store';
import { PublicationsController } from './publications.controller';
import { PublicationsService } from './publications.service';
import { PublishedProjects } from './published-projects';
import { Publisher } from './publisher';
import { RevisionCache } from './revision-cache';
import { RevisionSource } from './revision-source';
import { PayloadStreams } from './streams/payload-streams';

/** Global, because experiments ask for the publisher by its interface and do not know this module. */
@Global()
@Module({
  imports: [ProjectsModule, VariationsModule],
  controllers: [PublicationsController],
  providers: [
    Availability,
    DefinitionsStore,
    DeliveryCounters,
    PayloadStreams,
    PreviewScripts,
    PublicationBuilder,
    PublicationPlans,
    PublicationStore,
    PublicationsService,
    PublishedProjects,
    Publisher,
    { provide: ExperimentPublisher, useExisting: Publisher },
    RevisionCache,
    RevisionSource,
  ],
  exports: [
    Availability,
    DeliveryCounters,
    ExperimentPublisher,
    PayloadStreams,
    PreviewScripts,
    PublicationsService,
    PublishedProjects,
  ],
})
export class PublishingModule {}
