import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { ATTRIBUTED, STORED } from './event-batch.entity';
import { EventBatches } from './event-batches.store';
import { EventRemovals } from './event-removals.store';

/** Reads acknowledged events, attributed or not, except those to be removed. */
@Injectable()
export class AcknowledgedEvents {
  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly removals: EventRemovals,
  ) {}

  /** @param query the statement for events that match a condition */
  async rows<Row>(query: (condition: string) => string): Promise<Row[]> {
    await this.table.ready();
    const stored = await this.batches.counted(this.database.read, [STORED, ATTRIBUTED]);
    const among = await this.removals.among(this.database.read);
    return this.clickhouse.rows<Row>(query(among(stored)));
  }
}
