import { Abstract, Global, Module, Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Config } from '../config/config';
import { ClientKeyCache } from '../projects/dependents';
import { ProjectWritesModule } from '../projects/projects.module';
import { OutboxModule } from '../webhooks/outbox';
import { Attribution, RebuildCounts } from './attribution-steps';
import { AttributionWorker } from './attribution-worker';
import { WaitingVisitors, EventCounters } from './event-metrics';
import { Attributor } from './attributor';
import { CellStore } from './cells.store';
import { AcknowledgedEvents, ClickHouseEventLog } from './clickhouse/clickhouse-log';
import { ClickHouse } from './clickhouse/clickhouse';
import { ClickHouseAttribution } from './clickhouse/clickhouse-attribution';
import { BatchCompaction } from './clickhouse/batch-compaction';
import { ClickHouseEventReader } from './clickhouse/clickhouse-reader';
import { ClickHouseRebuildCounts } from './clickhouse/clickhouse-rebuild';
import { ClickHouseEventRemoval } from './clickhouse/clickhouse-removal';
import { ClickHouseTable } from './clickhouse/clickhouse-table';
import { EventBatches } from './clickhouse/event-batches.store';
import { EventLogCheck } from './clickhouse/event-log-check';
import { EventRemovals } from './clickhouse/event-removals.store';
import { RemovalHistory } from './clickhouse/removal-history';
import { RepeatedRemovals } from './clickhouse/repeated-removals';
import { ClientKeys, OriginCheck } from './client-keys';
import { ClientKeyStore } from './client-keys.store';
import { CollectionService } from './collection.service';
import { DatabaseEventLog, DatabaseEventReader, DatabaseEventRemoval } from './database-log.store';
import { DatabaseRebuildCounts } from './database-rebuild.store';
import { DefinitionStore } from './definitions.store';
import { DeletedVisitorStore, DeletionCheck } from './deletions/deleted-visitors.store';
import { EventLimits, VisitorLimit } from './event-limits';
import { EventLog, EventReader, EventRemoval } from './event-log';
import { EventPurge } from './event-purge';
import { EventWriter } from './event-writer';
import { EventStore } from './event.store';
import { ExclusionStore } from './exclusions/exclusion.store';
import { ExclusionsService } from './exclusions/exclusions.service';
import { ExportService } from './export/export.service';
import { ExportStore } from './export/export.store';
import { ImportStore } from './import/import.store';
import { ImportWriter } from './import/import-writer';
import { ImportService } from './import/import.service';
import { LeftoverCells } from './leftover-cells';
import { RebuildService } from './rebuild.service';
import { LinkStore } from './links/link.store';
import { EventGates } from './event-gates.store';
import { EventMoves } from './move/event-moves.store';
import { RecentEventsController } from './recent/recent-events.controller';
import { RecentEventsService } from './recent/recent-events.service';
import { RecentEventsStore } from './recent/recent-events.store';
import { RecentMessages } from './recent/recent-messages';
import { RefusedRequests } from './recent/refused-requests';
import { ResultStates } from './result-states.store';
import { ResultUpdates } from './result-changes';
import { RetentionService, RetentionWorker } from './retention/retention.service';
import { RetentionStore } from './retention/retention.store';
import { SnippetErrorCounts } from './snippet-error-counts.store';
import { SnippetErrorLog, SnippetErrorReports, SnippetErrorWorker } from './snippet-error-log';
import { TrustedEventsController } from './trusted-events.controller';
import { TrustedEventsService } from './trusted-events.service';
import { VisitorDeletionService } from './deletions/visitor-deletion.service';

/** Provides the adapter for the main database or, with `EVENTS_URL`, the adapter for ClickHouse. */
const eitherIn = <Port, Own extends Port, Other extends Port>(
  provide: Abstract<Port>,
  database: Type<Own>,
  clickhouse: Type<Other>,
): Provider => ({
  provide,
  inject: [Config, ModuleRef, database],
  useFactory: ({ eventsUrl }: Config, modules: ModuleRef, own: Own): Promise<Port> | Port =>
    eventsUrl === null ? own : modules.create(clickhouse),
});

/**
 * Global, because the projects module injects the client key cache by its interface and does not depend on this module.
 */
@Global()
@Module({
  imports: [ProjectWritesModule, OutboxModule],
  controllers: [TrustedEventsController, RecentEventsController],
  providers: [
    AcknowledgedEvents,
    Attributor,
    eitherIn(Attribution, Attributor, ClickHouseAttribution),
    BatchCompaction,
    CellStore,
    ClickHouse,
    ClickHouseTable,
    ClientKeys,
    ClientKeyStore,
    { provide: ClientKeyCache, useExisting: ClientKeys },
    CollectionService,
    DatabaseEventLog,
    eitherIn(EventLog, DatabaseEventLog, ClickHouseEventLog),
    DatabaseEventReader,
    eitherIn(EventReader, DatabaseEventReader, ClickHouseEventReader),
    DatabaseEventRemoval,
    eitherIn(EventRemoval, DatabaseEventRemoval, ClickHouseEventRemoval),
    DatabaseRebuildCounts,
    eitherIn(RebuildCounts, DatabaseRebuildCounts, ClickHouseRebuildCounts),
    DefinitionStore,
    DeletedVisitorStore,
    DeletionCheck,
    EventBatches,
    EventCounters,
    EventGates,
    EventLimits,
    EventLogCheck,
    EventMoves,
    EventPurge,
    EventRemovals,
    EventStore,
    EventWriter,
    ExclusionsService,
    ExclusionStore,
    ExportService,
    ExportStore,
    ImportService,
    ImportStore,
    ImportWriter,
    LeftoverCells,
    LinkStore,
    OriginCheck,
    RebuildService,
    RecentEventsService,
    RecentEventsStore,
    RecentMessages,
    RefusedRequests,
    RemovalHistory,
    RepeatedRemovals,
    ResultStates,
    ResultUpdates,
    RetentionService,
    RetentionStore,
    SnippetErrorCounts,
    SnippetErrorLog,
    SnippetErrorReports,
    TrustedEventsService,
    VisitorDeletionService,
    VisitorLimit,
    WaitingVisitors,
  ],
  exports: [
    Attribution,
    ClientKeyCache,
    CollectionService,
    DefinitionStore,
    EventLog,
    EventPurge,
    EventReader,
    EventWriter,
    ExclusionsService,
    ExportService,
    ImportService,
    ImportWriter,
    LeftoverCells,
    OriginCheck,
    RebuildService,
    RecentEventsService,
    RecentMessages,
    RefusedRequests,
    RetentionService,
    SnippetErrorReports,
    VisitorDeletionService,
  ],
})
export class EventsModule {}

/** Background work, which runs only in server and worker processes. */
@Module({ imports: [EventsModule], providers: [AttributionWorker, RetentionWorker, SnippetErrorWorker] })
export class AttributionModule {}
