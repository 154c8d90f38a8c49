import { Injectable } from '@nestjs/common';
import { UnavailableError } from '../../common/errors/api-errors';
import { inTime } from '../../common/event-loop';
import { chunksOf } from '../../common/lists/collections';
import type { Micros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { Appending, Arrived, EventLog, EventSpan, FirstExposure } from '../event-log';
import { purgeEvents } from '../event-purges.store';
import { DefinitionsChangedError } from '../definitions';
import { EventWriter, ProjectEvents, Stored } from '../event-writer';
import type { CountEvents } from '../links/link.store';
import { EventKey, keyText } from '../recent/recent-events.store';
import { ClickHouse } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { ATTRIBUTED, STORED } from './event-batch.entity';
import { EventBatches } from './event-batches.store';
import { EventRemovals } from './event-removals.store';
import { EventLogRow, toEventLogRow } from './event-rows';
import * as reading from './reading.store';
import { RemovalHistory } from './removal-history';

/** Reads acknowledged events, attributed or not, except events to be removed. */
@Injectable()
export class AcknowledgedEvents {
  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly removals: EventRemovals,
  ) {}

  /** @param query builds the statement for events that match the given condition */
  async rows<Row>(query: (condition: string) => string): Promise<Row[]> {
    await this.table.ready();
    const stored = await this.batches.counted(this.database.read, [STORED, ATTRIBUTED]);
    const among = await this.removals.among(this.database.read);
    return this.clickhouse.rows<Row>(query(among(stored)));
  }
}

/** Retry delay for a batch that was closed because it was open for too long. */
const CLOSED_RETRY_SECONDS = 1;
/** Maximum number of ids in a statement that counts their events. */
const MAX_COUNTED_IDS = 1_000;

/**
 * Events in ClickHouse. A batch is opened in the main database, its events are inserted, and then the batch is recorded
 * as stored, together with all related writes. Only then are its events acknowledged and ready for attribution. A batch
 * that is interrupted before that never counts.
 */
@Injectable()
export class ClickHouseEventLog extends EventLog {
  override readonly isApart = true;
  /** Time limit for counting events. After this time, ids are linked regardless of how many events they have. */
  readonly countMs: number = 1_000;

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly acknowledged: AcknowledgedEvents,
    private readonly writer: EventWriter,
    private readonly history: RemovalHistory,
  ) {
    super();
  }

  async append(
    projects: readonly ProjectEvents[],
    { inTransaction = (work) => this.database.transaction(work), alongside }: Appending = {},
  ): Promise<Stored> {
    await this.table.writable();
    const countEvents = await this.countLinked(projects);
    const rows = withoutRepeats(projects);
    const batchId = await this.database.transaction(async (tx) => {
      const opened = rows.length === 0 ? null : await this.batches.open(tx, rows.length);
      // Checked after the batch is open: a deletion either removes the events in this batch or is visible to this
      // check.
      await this.writer.requireKept(tx, projects);
      return opened;
    });
    const finish = async (tx: Tx): Promise<Stored> => {
      const changed = await this.writer.noteAllFirsts(tx, projects);
      const stored = { changed, ignoredLinks: await this.writer.addLinks(tx, projects, countEvents) };
      await alongside?.(tx, stored);
      return stored;
    };
    // The batch of a dry run is rolled back, so another batch may have its id by now.
    if (batchId === null || this.database.isRollingBack) {
      return inTransaction(finish);
    }
    return this.orClosed(batchId, async () => {
      await this.clickhouse.insert(rows.map((row) => ({ ...row, batch_id: batchId })));
      return inTransaction(async (tx) => {
        if (!(await this.batches.store(tx, batchId))) {
          throw new UnavailableError(CLOSED_RETRY_SECONDS);
        }
        return finish(tx);
      });
    });
  }

  /** Closes the batch after a failure, because a failed insert may still have reached ClickHouse. */
  private async orClosed<T>(batchId: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The first error determines whether to retry. A batch that stays open is closed later, like a batch left open by
      // a dead process.
      await this.database.transaction((tx) => this.batches.close(tx, batchId)).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Counts the events for ids that will be linked. This happens before the transaction, which must not wait for
   * ClickHouse.
   */
  private async countLinked(projects: readonly ProjectEvents[]): Promise<CountEvents> {
    const ids = await this.writer.idsToCount(this.database.read, projects);
    const counting = Promise.all(
      [...ids].map(async ([projectId, own]) => [projectId, await this.countsOf(projectId, own)] as const),
    ).then((counts) => new Map(counts));
    const counted = await inTime(
      counting.catch(() => null),
      this.countMs,
      null,
    );
    return (projectId, visitorIds) => {
      const counts = counted?.get(projectId) ?? new Map<string, number>();
      if (counted !== null && !visitorIds.every((id) => counts.has(id))) {
        throw new DefinitionsChangedError();
      }
      return Promise.resolve(counts);
    };
  }

  /** The number of events for each of these ids. */
  private async countsOf(projectId: number, visitorIds: readonly string[]): Promise<Map<string, number>> {
    const counts = new Map(visitorIds.map((id) => [id, 0]));
    for (const chunk of chunksOf(visitorIds, MAX_COUNTED_IDS)) {
      const rows = await this.acknowledged.rows<{ visitor_id: string; count: number }>((batches) =>
        reading.countsOf(projectId, chunk, batches),
      );
      rows.forEach(({ visitor_id, count }) => counts.set(visitor_id, count));
    }
    return counts;
  }

  async visitorsAfter(projectId: number, after: string, limit: number): Promise<string[]> {
    const rows = await this.acknowledged.rows<{ visitor_id: string }>((batches) =>
      reading.visitorsAfter(projectId, after, batches, limit),
    );
    return rows.map(({ visitor_id }) => visitor_id);
  }

  firstExposures(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<FirstExposure[]> {
    return this.acknowledged.rows((batches) =>
      reading.firstExposures(projectId, experimentId, visitorIds, batches),
    );
  }

  async spansOf(
    projectId: number,
    experimentId: number | null,
    visitorIds: readonly string[],
  ): Promise<EventSpan[]> {
    const rows = await this.acknowledged.rows<{ id: number; first: Micros; last: Micros }>((batches) =>
      reading.spans(projectId, experimentId, visitorIds, batches),
    );
    return rows.map(({ id, first, last }) => ({ experimentId: id, first, last }));
  }

  async countOf(projectId: number, visitorIds: readonly string[]): Promise<number> {
    const counts = await this.countsOf(projectId, visitorIds);
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  }

  async storedAt(projectId: number, keys: readonly EventKey[]): Promise<ReadonlyMap<string, Micros>> {
    if (keys.length === 0) {
      return new Map();
    }
    const rows = await this.acknowledged.rows<{ visitor_id: string; event_id: string; occurred_at: Micros }>(
      (batches) => reading.moments(projectId, keys, batches),
    );
    return new Map(
      rows.map(({ visitor_id: visitorId, event_id: eventId, occurred_at }) => [
        keyText({ visitorId, eventId }),
        occurred_at,
      ]),
    );
  }

  async purge(projectId: number, experimentId: number | null): Promise<void> {
    await this.table.ready();
    // A move to ClickHouse leaves copies of the events in the main database, so these copies are deleted too.
    await purgeEvents(this.database, projectId, experimentId);
    await this.clickhouse.command(reading.purge(projectId, experimentId));
    await this.history.notePurge();
  }

  override async lastBatch(tx: Tx): Promise<number> {
    return (await this.batches.holdOpening(tx)) || 0;
  }

  override arrived(): Promise<Arrived> {
    return this.batches.arrived();
  }

  override async problem(): Promise<string | null> {
    return (await this.clickhouse.problem()) ?? this.table.problem();
  }
}

/** The rows for a batch. If several events have the same id, the first one counts. */
function withoutRepeats(projects: readonly ProjectEvents[]): Omit<EventLogRow, 'batch_id'>[] {
  const rows = new Map<string, Omit<EventLogRow, 'batch_id'>>();
  for (const { definitions, events } of projects) {
    for (const event of events) {
      const key = `${definitions.projectId}\n${event.visitor_id}\n${event.event_id}`;
      if (!rows.has(key)) {
        rows.set(key, toEventLogRow(definitions.projectId, event));
      }
    }
  }
  return [...rows.values()];
}
