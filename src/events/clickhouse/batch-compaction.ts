import { Injectable } from '@nestjs/common';
import { ClickHouse } from './clickhouse';
import { EventBatches } from './event-batches.store';
import { insertClosedBatches } from './table.store';

const CHUNK = 500;

/**
 * Keeps the list of batches in the main database short. The low-water mark replaces the rows for attributed batches.
 * Closed batches move to a list in ClickHouse, because long lists are cheap there, and events in closed batches may
 * still arrive there. A closed batch is added to that list before it is deleted from the main database, so its events
 * are excluded at all times.
 */
@Injectable()
export class BatchCompaction {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly batches: EventBatches,
  ) {}

  async runIfNeeded(): Promise<void> {
    if (await this.batches.areManyDone()) {
      await this.run();
    }
  }

  async run(): Promise<void> {
    for (let ids = await this.batches.closed(CHUNK); ids.length > 0; ids = await this.batches.closed(CHUNK)) {
      await this.clickhouse.command(insertClosedBatches(ids));
      await this.batches.forgetClosed(ids);
    }
    await this.batches.compact();
  }
}
