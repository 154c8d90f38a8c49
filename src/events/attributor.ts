import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/group-by';
import { Micros, nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { pairs } from '../database/dialect';
import { ConflictError } from '../database/errors';
import { countRows } from '../database/row-locks';
import { placeholders } from '../database/row-store';
import type { VisitorEvent } from './attribution';
import { CellStore } from './cells.store';
import type { Seen } from './counting-rules';
import type { Exclusions } from './exclusions/excluded';
import { exclusionsOf, settleExclusions } from './exclusions/exclusion.store';
import type { VisitorEvents, WholeVisitor } from './links/linked-ids';
import { lockLinkedIds, noteLinksAttributed } from './links/linked-ids.store';
import { ResultState, ResultStates } from './result-states.store';
import { changesOf, joined, rulesOf, seenIn, sumUp, VisitorChanges } from './visitor-changes';

export interface Visitor {
  project_id: number;
  visitor_id: string;
}

/** The mark of a dirty visitor, as it was read. */
interface Mark extends Visitor {
  lock_version: number | string;
}

/** An event as returned by the drivers: large integers may be strings. */
export interface EventRow extends Omit<VisitorEvent, 'occurred_at' | 'arrived_at' | 'value'> {
  visitor_id: string;
  occurred_at: number | string;
  arrived_at?: number | string | null;
  value: number | string | null;
  attributed?: number;
}

/** Visitors per transaction: enough to amortize its cost, few enough not to block collection. */
const VISITORS = 300;

/** Maximum number of rows in a statement that lists their keys. */
const CHUNK = 500;

/** The columns of `EventRow`, except `attributed`. */
export const EVENT_COLUMNS =
  'visitor_id, event_id, occurred_at, arrived_at, experiment_id, variation_id, phase, goal_id, value, device';

/** Updates results with new events, in batches of visitors. */
@Injectable()
export class Attributor {
  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
    private readonly states: ResultStates,
  ) {}

  /**
   * Attributes the new events of a batch of dirty visitors in one transaction. Several processes may do this at the
   * same time: processes on the same node skip each other's visitors; if two nodes of a cluster take the same visitor,
   * one of them retries.
   * @param after the visitor after which the batch begins, so that every visitor is reached; null starts from the first
   * @returns the last visitor of the batch; null if there are no more after it
   */
  step(after: Visitor | null): Promise<Visitor | null> {
    return this.attributeNext(after, this.database.forUpdateSkippingLocked);
  }

  /** Attributes all stored events, and waits for those that another process is attributing. */
  async drain(): Promise<void> {
    let after: Visitor | null = null;
    do {
      after = await this.attributeNext(after, this.database.forUpdate);
    } while (after !== null);
  }

  /** @param lock avoids duplicate work of processes on the same node; correctness does not depend on it */
  private attributeNext(after: Visitor | null, lock: string): Promise<Visitor | null> {
    return this.database.transaction(async (tx) => {
      const marks = await this.marksAfter(tx, after, lock);
      for (const [projectId, own] of groupBy(marks, ({ project_id }) => project_id)) {
        await this.attributeAll(tx, projectId, own);
      }
      return marks.length === VISITORS ? (marks.at(-1) ?? null) : null;
    });
  }

  private marksAfter(tx: Tx, after: Visitor | null, lock: string): Promise<Mark[]> {
    const tail = `ORDER BY project_id, visitor_id LIMIT ${VISITORS}${lock}`;
    const select = 'SELECT project_id, visitor_id, lock_version FROM dirty_visitors';
    return after === null
      ? tx.query(`${select} ${tail}`)
      : tx.query(`${select} WHERE project_id > ? OR (project_id = ? AND visitor_id > ?) ${tail}`, [
          after.project_id,
          after.project_id,
          after.visitor_id,
        ]);
  }

  /**
   * Optimistic locking: collection increments the mark of each visitor whose events it stores, and attribution deletes
   * the mark only if it is unchanged. Either all events of the visitor are read here, or one of the two transactions
   * fails and is retried: on one node because the mark has changed, on a cluster at certification.
   *
   * Events and links of the ids that are linked to marked ones are attributed with them. The marks of those ids stay,
   * because they may have more events by now.
   */
  private async attributeAll(tx: Tx, projectId: number, marks: readonly Mark[]): Promise<void> {
    const marked = marks.map(({ visitor_id }) => visitor_id);
    const links = await lockLinkedIds(tx, projectId, marked);
    const visitorIds = links.and(marked);
    const events: EventRow[] = await tx.query(
      `SELECT ${EVENT_COLUMNS}, attributed FROM events
        WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})
        ORDER BY visitor_id`,
      [projectId, ...visitorIds],
    );
    const exclusions = await exclusionsOf(tx, projectId, visitorIds, marked);
    await this.apply(tx, links.visitors(groupByVisitor(events)), exclusions);
    if (exclusions.areUnsettled) {
      await settleExclusions(tx, projectId, marked);
    }
    await noteLinksAttributed(tx, projectId, links.pending);
    await this.noteAttributed(
      tx,
      projectId,
      events.filter(({ attributed }) => !attributed),
    );
    await this.removeMarks(tx, projectId, marks);
  }

  /** Updates exactly the events that were read, by id. */
  private async noteAttributed(tx: Tx, projectId: number, events: readonly EventRow[]): Promise<void> {
    for (let start = 0; start < events.length; start += CHUNK) {
      const chunk = events.slice(start, start + CHUNK);
      const visitorIds = [...new Set(chunk.map(({ visitor_id }) => visitor_id))];
      await tx.query(
        `UPDATE events SET attributed = 1
          WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})
            AND (visitor_id, event_id) IN ${pairs(this.database.engine, chunk.length)}`,
        [projectId, ...visitorIds, ...chunk.flatMap(({ visitor_id, event_id }) => [visitor_id, event_id])],
      );
    }
  }

  private async removeMarks(tx: Tx, projectId: number, marks: readonly Mark[]): Promise<void> {
    const found = await countRows(
      tx,
      `DELETE FROM dirty_visitors
        WHERE project_id = ? AND visitor_id IN (${placeholders(marks.length)})
          AND (visitor_id, lock_version) IN ${pairs(this.database.engine, marks.length)}`,
      [
        projectId,
        ...marks.map(({ visitor_id }) => visitor_id),
        ...marks.flatMap(({ visitor_id, lock_version }) => [visitor_id, lock_version]),
      ],
    );
    if (found !== marks.length) {
      throw new ConflictError();
    }
  }

  private async apply(tx: Tx, visitors: readonly WholeVisitor[], exclusions: Exclusions): Promise<void> {
    const seen = seenIn(visitors);
    const now = nowMicros();
    const states = await this.states.settle(tx, [...seen.keys()], now);
    const shown = changesOf(visitors, exclusions, rulesOf(states, 'shown'));
    const isRebuilding = states.some(({ rebuild }) => rebuild !== null);
    const rebuilt = isRebuilding ? changesOf(visitors, exclusions, rulesOf(states, 'rebuild')) : NO_CHANGES;
    for (const state of states) {
      await this.applyToShown(tx, state, shown, exclusions.areUnsettled ? now : null);
      await this.applyToRebuild(tx, state, rebuilt);
      await this.noteSeen(tx, state, seen.get(state.experimentId));
    }
  }

  /** @param revisedAt when visitors were excluded or included again; null if this is not due to an exclusion */
  private async applyToShown(
    tx: Tx,
    { experimentId, shown }: ResultState,
    changes: VisitorChanges,
    revisedAt: Micros | null,
  ): Promise<void> {
    const { cells, span } = sumUp(experimentId, shown.span, changes);
    await this.cells.add(tx, shown.generation, cells);
    const isLonger = span.first !== shown.span.first || span.last !== shown.span.last;
    if (cells.length > 0 || isLonger) {
      await this.states.note(tx, experimentId, span);
    }
    if (cells.length > 0 && revisedAt !== null && revisedAt >= (shown.rules.finalAt ?? Infinity)) {
      await this.states.noteRevision(tx, experimentId, revisedAt);
    }
  }

  /** A rebuild counts the remaining visitors later, including what is attributed by then. */
  private async applyToRebuild(tx: Tx, state: ResultState, changes: VisitorChanges): Promise<void> {
    const { experimentId, rebuild } = state;
    if (rebuild === null) {
      return;
    }
    const { generation, to, span } = rebuild;
    const changed = sumUp(experimentId, span, changes, (visitorId) => visitorId <= to);
    await this.cells.add(tx, generation, changed.cells);
    await this.states.noteRebuild(tx, experimentId, to, changed.span);
  }

  private async noteSeen(tx: Tx, { experimentId, seen }: ResultState, own: Seen | undefined): Promise<void> {
    const all = own === undefined ? seen : joined(seen, own);
    if (all.first !== seen.first || all.last !== seen.last) {
      await this.states.noteSeen(tx, experimentId, all);
    }
  }
}

const NO_CHANGES: VisitorChanges = { before: [], after: [] };

/** @param rows sorted by visitor */
export function groupByVisitor(rows: readonly EventRow[]): VisitorEvents[] {
  const visitors: VisitorEvents[] = [];
  for (const row of rows) {
    const event = {
      ...row,
      occurred_at: Number(row.occurred_at),
      arrived_at: (row.arrived_at ?? null) === null ? null : Number(row.arrived_at),
      value: row.value === null ? null : Number(row.value),
      isAttributed: Boolean(row.attributed),
    };
    const last = visitors.at(-1);
    if (last?.visitorId === row.visitor_id) {
      last.events.push(event);
    } else {
      visitors.push({ visitorId: row.visitor_id, events: [event] });
    }
  }
  return visitors;
}
