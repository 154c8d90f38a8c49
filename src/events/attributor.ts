import { Injectable } from '@nestjs/common';
import { groupBy } from '../common/lists/group-by';
import { Database, Tx } from '../database/database';
import { placeholders } from '../database/row-store';
import { attribute, Participation, VisitorEvent } from './attribution';
import { CellChange, CellChanges } from './cell-changes';
import { CellStore, ResultState, Span } from './cell-store';

export interface Visitor {
  project_id: number;
  visitor_id: string;
}

/** An event as the drivers give it: large integers may be text. */
export interface EventRow extends Omit<VisitorEvent, 'occurred_at' | 'value'> {
  visitor_id: string;
  occurred_at: number | string;
  value: number | string | null;
  attributed?: number;
}

export interface VisitorEvents {
  visitorId: string;
  events: (VisitorEvent & { isAttributed: boolean })[];
}

/** What a visitor added to results so far, and what it adds with all that is stored of it. */
interface VisitorChange {
  visitorId: string;
  before: Participation[];
  after: Participation[];
}

/** Visitors in one transaction: enough to share its cost, few enough not to keep collection waiting. */
const VISITORS = 300;

/** Brings results up to date with the events, a few visitors at a time. */
@Injectable()
export class Attributor {
  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
  ) {}

  /**
   * Takes visitors that have something new, adds it to the results and marks it as attributed, all in one
   * transaction. Several processes may do this at once.
   * @param after the visitor after which to look for more, so that everybody has a turn; null begins anew
   * @returns the last visitor taken; null when there are no more after it
   */
  step(after: Visitor | null): Promise<Visitor | null> {
    return this.database.transaction(async (tx) => {
      const visitors = await this.take(tx, after);
      for (const [projectId, own] of groupBy(visitors, ({ project_id }) => project_id)) {
        await this.attributeAll(
          tx,
          projectId,
          own.map(({ visitor_id }) => visitor_id),
        );
      }
      return visitors.length === VISITORS ? (visitors.at(-1) ?? null) : null;
    });
  }

  /** Attributes everything that is stored by now. */
  async drain(): Promise<void> {
    let after = await this.step(null);
    while (after !== null) {
      after = await this.step(after);
    }
  }

  private take(tx: Tx, after: Visitor | null): Promise<Visitor[]> {
    const tail = `ORDER BY project_id, visitor_id LIMIT ${VISITORS}${this.database.forUpdateSkippingLocked}`;
    const select = 'SELECT project_id, visitor_id FROM dirty_visitors';
    return after === null
      ? tx.query(`${select} ${tail}`)
      : tx.query(`${select} WHERE project_id > ? OR (project_id = ? AND visitor_id > ?) ${tail}`, [
          after.project_id,
          after.project_id,
          after.visitor_id,
        ]);
  }

  /**
   * Collection marks visitors before it stores their events, and waits for marks that are held here. So what is read
   * now is all there is of them until this transaction ends.
   */
  private async attributeAll(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    const who = `project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`;
    const parameters = [projectId, ...visitorIds];
    const events: EventRow[] = await tx.query(
      `SELECT visitor_id, event_id, occurred_at, experiment_id, variation_id, goal_id, value, device, attributed
         FROM events WHERE ${who} ORDER BY visitor_id`,
      parameters,
    );
    await this.apply(tx, changesOf(events));
    await tx.query(`UPDATE events SET attributed = 1 WHERE ${who} AND attributed = 0`, parameters);
    await tx.query(`DELETE FROM dirty_visitors WHERE ${who}`, parameters);
  }

  private async apply(tx: Tx, changes: readonly VisitorChange[]): Promise<void> {
    const touched = new Set(changes.flatMap(({ after }) => after.map(({ experimentId }) => experimentId)));
    for (const state of await this.cells.lock(tx, [...touched])) {
      await this.applyToShown(tx, state, changes);
      await this.applyToRebuild(tx, state, changes);
    }
  }

  private async applyToShown(tx: Tx, state: ResultState, changes: readonly VisitorChange[]): Promise<void> {
    const { experimentId, generation } = state;
    const { cells, span } = sumUp(experimentId, state.span, changes);
    await this.cells.add(tx, generation, cells);
    const isLonger = span.first !== state.span.first || span.last !== state.span.last;
    if (cells.length > 0 || isLonger) {
      await this.cells.note(tx, experimentId, span);
    }
  }

  /** A rebuild will come to the visitors that it has not counted yet, with what is attributed by then. */
  private async applyToRebuild(tx: Tx, state: ResultState, changes: readonly VisitorChange[]): Promise<void> {
    const { experimentId, rebuild } = state;
    const counted = rebuild === null ? [] : changes.filter(({ visitorId }) => visitorId <= rebuild.to);
    if (rebuild !== null && counted.length > 0) {
      const { cells, span } = sumUp(experimentId, rebuild.span, counted);
      await this.cells.add(tx, rebuild.generation, cells);
      await this.cells.noteRebuild(tx, experimentId, rebuild.to, span);
    }
  }
}

/** @param rows ordered by visitor */
function changesOf(rows: readonly EventRow[]): VisitorChange[] {
  return groupByVisitor(rows).map(({ visitorId, events }) => ({
    visitorId,
    before: attribute(events.filter(({ isAttributed }) => isAttributed)),
    after: attribute(events),
  }));
}

/** @param rows ordered by visitor */
export function groupByVisitor(rows: readonly EventRow[]): VisitorEvents[] {
  const visitors: VisitorEvents[] = [];
  for (const row of rows) {
    const event = {
      ...row,
      occurred_at: Number(row.occurred_at),
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

/** By how much the cells of an experiment change, and from when to when its events are then. */
function sumUp(
  experimentId: number,
  span: Span,
  changes: readonly VisitorChange[],
): { cells: CellChange[]; span: Span } {
  const sums = new CellChanges();
  let total = span;
  for (const { before, after } of changes) {
    for (const participation of after.filter((each) => each.experimentId === experimentId)) {
      participation.contributions.forEach((contribution) => sums.add(contribution));
      total = widened(total, participation);
    }
    for (const participation of before.filter((each) => each.experimentId === experimentId)) {
      participation.contributions.forEach((contribution) => sums.subtract(contribution));
    }
  }
  return { cells: sums.list(), span: total };
}

/** A span that also covers what a visitor did. */
export function widened({ first, last }: Span, { firstEventAt, lastEventAt }: Participation): Span {
  return {
    first: first === null ? firstEventAt : Math.min(first, firstEventAt),
    last: last === null ? lastEventAt : Math.max(last, lastEventAt),
  };
}
