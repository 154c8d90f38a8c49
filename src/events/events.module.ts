import { Global, Module } from '@nestjs/common';
import { ClientKeyCache } from '../projects/dependents';
import { ProjectWritesModule } from '../projects/projects.module';
import { AttributionWorker } from './attribution-worker';
import { Attributor } from './attributor';
import { CellStore } from './cells.store';
import { ClientKeys } from './client-keys';
import { CollectionService } from './collection.service';
import { DefinitionStore } from './definitions';
import { EventCounters } from './event-counters';
import { EventLimits } from './event-limits';
import { EventPurge } from './event-purge';
import { EventWriter } from './event-writer';
import { EventStore } from './event.store';
import { ExclusionStore } from './exclusions/exclusion.store';
import { ExclusionsService } from './exclusions/exclusions.service';
import { ImportStore } from './import/import-store';
import { ImportWriter } from './import/import-writer';
import { ImportService } from './import/import.service';
import { LinkStore } from './links/link.store';
import { OriginCheck } from './origin-check';
import { RecentEventsController } from './recent/recent-events.controller';
import { RecentEventsService } from './recent/recent-events.service';
import { RecentEventsStore } from './recent/recent-events.store';
import { RecentMessages } from './recent/recent-messages';
import { RefusedRequests } from './recent/refused-requests';
import { RebuildService } from './rebuild.service';
import { ResultStates } from './result-states.store';
import { SnippetErrorLog } from './snippet-error-log';
import { TrustedEventsController } from './trusted-events.controller';
import { TrustedEventsService } from './trusted-events.service';
import { WaitingVisitors } from './waiting-visitors';

/** Global, because projects inject the client key cache by its interface and do not depend on this module. */
@Global()
@Module({
  imports: [ProjectWritesModule],
  controllers: [TrustedEventsController, RecentEventsController],
  providers: [
    Attributor,
    CellStore,
    ClientKeys,
    { provide: ClientKeyCache, useExisting: ClientKeys },
    CollectionService,
    DefinitionStore,
    EventCounters,
    EventLimits,
    EventPurge,
    EventStore,
    EventWriter,
    ExclusionsService,
    ExclusionStore,
    ImportService,
    ImportStore,
    ImportWriter,
    LinkStore,
    OriginCheck,
    RebuildService,
    RecentEventsService,
    RecentEventsStore,
    RecentMessages,
    RefusedRequests,
    ResultStates,
    SnippetErrorLog,
    TrustedEventsService,
    WaitingVisitors,
  ],
  exports: [
    Attributor,
    ClientKeyCache,
    CollectionService,
    DefinitionStore,
    EventPurge,
    EventWriter,
    ExclusionsService,
    ImportService,
    ImportWriter,
    OriginCheck,
    RebuildService,
    RecentEventsService,
    RecentMessages,
    RefusedRequests,
  ],
})
export class EventsModule {}

/** The attribution worker, only in server and worker processes. */
@Module({ imports: [EventsModule], providers: [AttributionWorker] })
export class AttributionModule {}
