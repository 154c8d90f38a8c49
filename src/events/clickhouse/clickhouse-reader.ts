import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EventReader, FindEvents } from '../event-log';
import type { EventRow } from '../stored-events.store';
import { AcknowledgedEvents } from './clickhouse-log';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { STORED } from './event-batch.entity';
import { EventBatches } from './event-batches.store';
import { EventRemovals } from './event-removals.store';
import { EventLogRow, toEventRow } from './event-rows';
import { answering, Ask } from './questions';
import * as reading from './reading.store';
import { amongBatches } from './scopes.store';

/** One of the stored copies of an event. */
type Copy = Omit<EventLogRow, 'project_id'> & { attributed: number };

/** Events per ClickHouse statement. Callers get smaller pages, because they query the main database for each page. */
const EVENTS = 20_000;
const PAGE = 2_000;

/** Reads events from ClickHouse. */
@Injectable()
export class ClickHouseEventReader extends EventReader {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly removals: EventRemovals,
    private readonly acknowledged: AcknowledgedEvents,
  ) {
    super();
  }

  async reading<T>(work: (find: FindEvents) => Promise<T>): Promise<T> {
    await this.table.ready();
    return answering(this.clickhouse, (ask) => work((...of) => this.find(ask, ...of)));
  }

  async countEvents(projectId: number): Promise<number> {
    const [row] = await this.acknowledged.rows<{ count: number }>((batches) =>
      reading.countEvents(projectId, batches),
    );
    return row?.count ?? 0;
  }

  async *pages(projectId: number): AsyncGenerator<EventRow[]> {
    let after = { visitor_id: '', event_id: '' };
    for (let found = EVENTS; found === EVENTS;) {
      const rows = await this.acknowledged.rows<Copy>((batches) =>
        reading.eventsAfter(projectId, after, batches, EVENTS),
      );
      for (let start = 0; start < rows.length; start += PAGE) {
        yield rows.slice(start, start + PAGE).map(toEventRow);
      }
      found = rows.length;
      after = rows.at(-1) ?? after;
    }
  }

  /**
   * The statement names the attributed batches, so the attributed events that it finds are exactly those that results
   * include. Other events are filtered by batch afterwards: if the statement named their batches too, each new batch
   * would require a new query.
   */
  private async find(
    ask: Ask,
    manager: EntityManager,
    projectId: number,
    visitorIds: readonly string[],
  ): Promise<EventRow[]> {
    const attributed = amongBatches(await this.batches.counted(manager));
    const remaining = await this.removals.remaining(manager, { projectId, visitorIds });
    const stored = new Set((await this.batches.counted(manager, [STORED])).above);
    const [copies = []] = ask<Copy>(reading.eventsOf(projectId, visitorIds, attributed, remaining));
    return copies
      .filter((copy) => copy.attributed === 1 || stored.has(copy.batch_id))
      .filter(isFirstCopy)
      .map((copy) => ({ ...toEventRow(copy), attributed: copy.attributed }));
  }
}

/** @param copies sorted by event */
const isFirstCopy = ({ visitor_id, event_id }: Copy, index: number, copies: readonly Copy[]): boolean =>
  visitor_id !== copies[index - 1]?.visitor_id || event_id !== copies[index - 1]?.event_id;
