import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { AttributionWorker } from './attribution-worker';
import { Attributor } from './attributor';
import { CellStore } from './cell-store';
import { CollectedData } from './collected-data';
import { CollectionService } from './collection.service';
import { DefinitionStore } from './definitions';
import { EventCounters } from './event-counters';
import { EventPurge } from './event-purge';
import { EventWriter } from './event-writer';
import { ImportStore } from './import/import-store';
import { ImportWriter } from './import/import-writer';
import { ImportService } from './import/import.service';
import { RebuildService } from './rebuild.service';
import { SnippetErrorLog } from './snippet-error-log';
import { WaitingVisitors } from './waiting-visitors';

@Module({
  imports: [ProjectsModule],
  providers: [
    Attributor,
    CellStore,
    CollectedData,
    CollectionService,
    DefinitionStore,
    EventCounters,
    EventPurge,
    EventWriter,
    ImportService,
    ImportStore,
    ImportWriter,
    RebuildService,
    SnippetErrorLog,
    WaitingVisitors,
  ],
  exports: [
    Attributor,
    CollectionService,
    DefinitionStore,
    EventPurge,
    EventWriter,
    ImportService,
    ImportWriter,
    RebuildService,
  ],
})
export class EventsModule {}

/** The worker; only in processes that serve or that do nothing else. */
@Module({ imports: [EventsModule], providers: [AttributionWorker] })
export class AttributionModule {}
