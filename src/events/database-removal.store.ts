import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { EventRemoval } from './event-log';
import { EventGates } from './event-gates.store';
import { removeEventsOf, visitorsAfter } from './stored-events.store';

/** Visitors per step. */
const VISITORS = 500;

/** Removes events in the main database, in the caller's transaction. */
@Injectable()
export class DatabaseEventRemoval extends EventRemoval {
  constructor(private readonly gates: EventGates) {
    super();
  }

  /** Always ready: `hold` throws while events move. */
  ready(): Promise<void> {
    return Promise.resolve();
  }

  /** The marks of visitors and the results of experiments prevent conflicts, unless the events are being moved. */
  hold(tx: Tx): Promise<void> {
    return this.gates.pass(tx);
  }

  removeVisitors(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    return removeEventsOf(tx, projectId, visitorIds);
  }

  async removeOlder(tx: Tx, projectId: number, after: string, before: Micros): Promise<string | null> {
    const to = (await visitorsAfter(tx, projectId, after, VISITORS)).at(-1) ?? null;
    if (to !== null) {
      await tx.query(
        `DELETE FROM events
          WHERE project_id = ? AND visitor_id > ? AND visitor_id <= ? AND occurred_at < ? AND attributed = 1`,
        [projectId, after, to, before],
      );
    }
    return to;
  }

  carryOut(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
