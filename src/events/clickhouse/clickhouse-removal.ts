import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import type { Tx } from '../../database/database';
import { EventRemoval } from '../event-log';
import { removeEventsOf } from '../stored-events.store';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { EventBatches } from './event-batches.store';
import { EventRemovals } from './event-removals.store';
import { deleteIn, forgetDeletions, partitionWith, unfinishedDeletion } from './reading.store';
import { RemovalHistory } from './removal-history';
import { RepeatedRemovals } from './repeated-removals';
import { removedBy } from './scopes.store';

/**
 * Removes events from ClickHouse. The transaction records the removal in the main database; from then on, every
 * statement excludes these events. Later, the removal is noted in ClickHouse, the events are deleted, one partition at a
 * time, and then the removal record is deleted. Each step can be repeated, so it is safe to kill a process at any time.
 */
@Injectable()
export class ClickHouseEventRemoval extends EventRemoval {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly removals: EventRemovals,
    private readonly history: RemovalHistory,
    private readonly repeated: RepeatedRemovals,
  ) {
    super();
  }

  ready(): Promise<void> {
    return this.table.ready();
  }

  hold(tx: Tx): Promise<void> {
    return this.batches.holdAttribution(tx);
  }

  /**
   * Also removes events in batches that are being inserted, and events that a move has left in the main database. Later
   * events are rejected, because the visitor is recorded as deleted.
   */
  async removeVisitors(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    await removeEventsOf(tx, projectId, visitorIds);
    await this.removals.addVisitors(tx, projectId, visitorIds, await this.batches.holdOpening(tx));
  }

  /** Records a single removal for all visitors, so there is no next step. */
  async removeOlder(tx: Tx, projectId: number, _after: string, before: Micros): Promise<null> {
    await this.removals.addOlder(tx, projectId, before, await this.batches.settled(tx));
    return null;
  }

  async carryOut(): Promise<boolean> {
    const repeated = await this.repeated.step();
    if (repeated !== false) {
      return repeated === true;
    }
    const round = await this.removals.next(await this.batches.arrived());
    if (round.removals.length === 0) {
      return false;
    }
    await this.table.ready();
    const [unfinished] = await this.clickhouse.rows(unfinishedDeletion());
    if (unfinished !== undefined) {
      return false;
    }
    await this.history.begin(round);
    const events = removedBy(round.removals);
    const [found] = await this.clickhouse.rows<{ _partition_id: string }>(partitionWith(events));
    if (found === undefined) {
      await this.clickhouse.command(forgetDeletions());
      await this.history.end(round);
      await this.removals.finish(round);
    } else {
      await this.clickhouse.command(deleteIn(found._partition_id, events));
    }
    return true;
  }
}
