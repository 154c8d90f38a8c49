import { DynamicModule, Injectable, Module } from '@nestjs/common';
import { Config } from '../../config/config';
import { ConfigModule } from '../../config/config.module';
import { Database } from '../../database/database';
import { DatabaseModule } from '../../database/database.module';
import { RebuildCounts } from '../attribution-steps';
import { CellStore } from '../cells.store';
import { ClickHouse } from '../clickhouse/clickhouse';
import { ClickHouseRebuildCounts } from '../clickhouse/clickhouse-rebuild';
import { ClickHouseTable } from '../clickhouse/clickhouse-table';
import { EventBatches } from '../clickhouse/event-batches.store';
import { EventRemovals } from '../clickhouse/event-removals.store';
import { RemovalHistory } from '../clickhouse/removal-history';
import { ResultStates } from '../result-states.store';
import { EventGates } from '../event-gates.store';
import { EventMoveService } from './event-move.service';
import { EventMoves } from './event-moves.store';
import { ResultComparison } from './result-comparison';

/** The events table for the move itself, which reads the table before it contains all events. */
@Injectable()
class UnfinishedTable extends ClickHouseTable {
  override ready(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * The move without the rest of the application. If the main database has events, the application cannot start with
 * `EVENTS_URL` before the move begins.
 */
@Module({
  providers: [
    CellStore,
    ClickHouse,
    { provide: ClickHouseTable, useClass: UnfinishedTable },
    EventBatches,
    EventGates,
    EventMoves,
    EventMoveService,
    EventRemovals,
    { provide: RebuildCounts, useClass: ClickHouseRebuildCounts },
    RemovalHistory,
    ResultComparison,
    ResultStates,
  ],
})
export class EventMoveModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return {
      module: EventMoveModule,
      imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)],
    };
  }
}
