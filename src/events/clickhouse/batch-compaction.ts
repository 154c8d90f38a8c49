import { Injectable } from '@nestjs/common';
import { ClickHouse } from './clickhouse';
import { EventBatches } from './event-batches.store';
import { insertClosedBatches } from './table.store';

const CHUNK = 500;

/**
 * Keeps the list of batches in the main database short. Attributed ones are represented by the low-water mark. Closed
 * ones move to a list in ClickHouse, where a list is cheap and where their events may still arrive. They are listed
 * there before they are deleted here, so that they are excluded at any moment.
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
