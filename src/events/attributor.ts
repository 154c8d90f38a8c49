import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/collections';
import { Database, Tx } from '../database/database';
import { Attribution } from './attribution-steps';
import type { VisitorKey } from './event.store';
import { Mark, marksAfter, removeMarks } from './dirty-visitors.store';
import { EarlierProcesses } from './earlier-processes';
import { exclusionsOf, settleExclusions } from './exclusions/exclusion.store';
import { lockLinkedIds, noteLinksAttributed } from './links/linked-ids.store';
import { EventGates } from './event-gates.store';
import { ResultUpdates } from './result-changes';
import {
  areTooMany,
  eventsOf,
  fittingPart,
  groupByVisitor,
  noteEventsAttributed,
} from './stored-events.store';

/** Polling interval in milliseconds when idle. Other processes may collect events without notifying this process. */
const REST_MS = 500;

/** Visitors per transaction: enough to amortise the cost of a transaction, but few enough not to block collection. */
const VISITORS = 300;

/** Updates results with new events in the main database, in batches of visitors. */
@Injectable()
export class Attributor extends Attribution {
  readonly restMs = REST_MS;
  private readonly earlierProcesses = new EarlierProcesses();

  constructor(
    private readonly database: Database,
    private readonly results: ResultUpdates,
    private readonly gates: EventGates,
  ) {
    super();
  }

  /**
   * Attributes the new events from a batch of dirty visitors in one transaction. Several processes can do this at the
   * same time: processes on the same node skip each other's visitors; if two nodes of a cluster take the same visitor,
   * one of them retries.
   * @param after the visitor after which the batch begins, so that successive steps reach every visitor; null starts
   * from the first
   * @returns the last visitor of the batch; null if there are no visitors after it
   */
  step(after: VisitorKey | null): Promise<VisitorKey | null> {
    return this.attributeNext(after, this.database.forUpdateSkippingLocked);
  }

  waitingStep(after: VisitorKey | null): Promise<VisitorKey | null> {
    return this.attributeNext(after, this.database.forUpdate);
  }

  /**
   * @param lock a locking clause that keeps processes on the same node from duplicating work; correctness does not
   * depend on it
   */
  private attributeNext(after: VisitorKey | null, lock: string): Promise<VisitorKey | null> {
    return this.database.transaction(async (tx) => {
      const found = await marksAfter(tx, after, VISITORS, lock);
      if (found.length > 0) {
        await this.gates.pass(tx);
        this.earlierProcesses.look(found);
      }
      const marks = await fittingPart(found, (part) => this.areTooMany(tx, part));
      for (const [projectId, own] of groupBy(marks, ({ project_id }) => project_id)) {
        await this.attributeAll(tx, projectId, own);
      }
      const isLast = found.length < VISITORS && marks.length === found.length;
      return isLast ? null : (marks.at(-1) ?? null);
    });
  }

  private async areTooMany(tx: Tx, marks: readonly Mark[]): Promise<boolean> {
    for (const [projectId, own] of groupBy(marks, ({ project_id }) => project_id)) {
      const ids = own.map(({ visitor_id }) => visitor_id);
      if (await areTooMany(tx, projectId, ids)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Optimistic locking: collection increments the mark of each visitor whose events it stores, and attribution deletes
   * the mark only if it is unchanged. Attribution either reads all events of the visitor, or one of the two
   * transactions fails and is retried: on a single node because the mark has changed, on a cluster because
   * certification fails.
   *
   * Ids that are linked to a marked id are attributed together with it. Their own marks are kept, because these ids may
   * have received more events in the meantime.
   */
  private async attributeAll(tx: Tx, projectId: number, marks: readonly Mark[]): Promise<void> {
    const marked = marks.map(({ visitor_id }) => visitor_id);
    const links = await lockLinkedIds(tx, projectId, marked);
    const visitorIds = links.and(marked);
    const events = await eventsOf(tx, projectId, visitorIds);
    const exclusions = await exclusionsOf(tx, projectId, visitorIds, marked);
    await this.results.attribute(tx, links.visitors(groupByVisitor(events)), exclusions);
    if (exclusions.areUnsettled) {
      await settleExclusions(tx, projectId, marked);
    }
    await noteLinksAttributed(tx, projectId, links.pending);
    const { engine } = this.database;
    const added = events.filter(({ attributed }) => !attributed);
    await noteEventsAttributed(tx, engine, projectId, added);
    await removeMarks(tx, engine, projectId, marks);
  }
}
