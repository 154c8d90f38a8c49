import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Micros, nowMicros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import { Database, Tx } from '../../database/database';
import type { Condition } from '../../database/dialect';
import { placeholders } from '../../database/row-store';
import type { Arrived } from '../event-log';
import type { CountedBatches } from './event-batches.store';
import { amongBatches, RemovedEvents, removedBy } from './scopes.store';

export interface Removal extends RemovedEvents {
  id: number;
  requestedAt: Micros;
}

/** Removals whose events are deleted together. */
export interface RemovalRound {
  number: number;
  removals: Removal[];
}

interface RemovalRow {
  id: number;
  project_id: number;
  visitor_id: string | null;
  happened_before: number | string | null;
  up_to_batch: number | string;
  requested_at: number | string;
}

/** Builds the condition for events in these batches, except events to be removed. */
export type AmongBatches = (counted: CountedBatches, more?: readonly number[]) => string;

const COLUMNS = 'id, project_id, visitor_id, happened_before, up_to_batch, requested_at';
/** The id of the row with the number of finished rounds. */
const FINISHED = -1;
const FINISHED_ROUNDS = `SELECT ${FINISHED}, 0, NULL, NULL, position, 0 FROM event_log_marks WHERE name = 'removals'`;
/** Maximum number of removals per ClickHouse statement. */
const REMOVALS = 500;

/** Visitors of a project. */
export interface RemovalScope {
  projectId: number;
  visitorIds: readonly string[];
}

const EVERYTHING: Condition = { sql: '1 = 1', parameters: [] };

const within = ({ projectId, visitorIds }: RemovalScope): Condition => ({
  sql: `project_id = ? AND (visitor_id IS NULL OR visitor_id IN (${placeholders(visitorIds.length)}))`,
  parameters: [projectId, ...visitorIds],
});

/** The events to be deleted from ClickHouse. */
@Injectable()
export class EventRemovals {
  constructor(private readonly database: Database) {}

  async addVisitors(tx: Tx, projectId: number, visitorIds: readonly string[], upTo: number): Promise<void> {
    const now = nowMicros();
    await tx.query(
      `INSERT INTO event_removals (project_id, visitor_id, up_to_batch, requested_at)
       VALUES ${visitorIds.map(() => '(?, ?, ?, ?)').join(', ')}`,
      visitorIds.flatMap((id) => [projectId, id, upTo, now]),
    );
  }

  async addOlder(tx: Tx, projectId: number, before: Micros, upTo: number): Promise<void> {
    await tx.query(
      'INSERT INTO event_removals (project_id, happened_before, up_to_batch, requested_at) VALUES (?, ?, ?, ?)',
      [projectId, before, upTo, nowMicros()],
    );
  }

  /**
   * The condition that excludes events to be removed.
   * @param scope the visitors whose events are read. The removals of other visitors are then left out, so that they do
   * not change the statement
   */
  async remaining(manager: EntityManager, scope?: RemovalScope): Promise<string> {
    const { sql, parameters } = scope === undefined ? EVERYTHING : within(scope);
    const rows: RemovalRow[] = await manager.query(
      `SELECT ${COLUMNS} FROM event_removals WHERE ${sql}
        UNION ALL ${FINISHED_ROUNDS} ORDER BY id`,
      parameters,
    );
    // The text of a statement must differ before and after a removal; see questions.ts.
    return `NOT (${removedBy(removalsIn(rows))}) /* after ${finishedRoundsIn(rows)} removals */`;
  }

  /** Like `amongBatches`, but excludes events to be removed. */
  async among(manager: EntityManager): Promise<AmongBatches> {
    const remaining = await this.remaining(manager);
    return (...batches) => `(${amongBatches(...batches)}) AND ${remaining}`;
  }

  /** The next round: the oldest removals whose events have all arrived. */
  async next({ batch, before }: Arrived): Promise<RemovalRound> {
    const rows: RemovalRow[] = await this.database.read.query(
      `SELECT * FROM (
          SELECT ${COLUMNS} FROM event_removals
            WHERE requested_at <= ? AND up_to_batch <= ? ORDER BY id LIMIT ${REMOVALS}
        ) next UNION ALL ${FINISHED_ROUNDS}`,
      [before, batch],
    );
    return { number: 1 + finishedRoundsIn(rows), removals: removalsIn(rows) };
  }

  /** All removals that are not finished. */
  async pending(manager: EntityManager): Promise<Removal[]> {
    const rows: RemovalRow[] = await manager.query(`SELECT ${COLUMNS} FROM event_removals ORDER BY id`);
    return rows.map(toRemoval);
  }

  /** The number of finished rounds of deletions; 0 if ClickHouse is not used. */
  async finishedRounds(manager: EntityManager): Promise<number> {
    const [row]: { position: number | string }[] = await manager.query(
      "SELECT position FROM event_log_marks WHERE name = 'removals'",
    );
    return Number(row?.position ?? 0);
  }

  /** Locks the number of finished rounds until this transaction ends. */
  async holdRounds(tx: Tx): Promise<void> {
    await tx.query("UPDATE event_log_marks SET lock_version = lock_version + 1 WHERE name = 'removals'");
  }

  /** Counts a finished deletion that has no removals. @returns the number of finished rounds */
  async countRound(tx: Tx): Promise<number> {
    await tx.query("UPDATE event_log_marks SET position = position + 1 WHERE name = 'removals'");
    return this.finishedRounds(tx);
  }

  /** Counts rounds that another state of the main database has finished. */
  async noteRounds(tx: Tx, finished: number): Promise<void> {
    await tx.query("UPDATE event_log_marks SET position = ? WHERE name = 'removals' AND position < ?", [
      finished,
      finished,
    ]);
  }

  /**
   * Records that the events of a round have been deleted from ClickHouse. Does nothing if another process has finished
   * this round; the removals that remain then belong to the next one.
   */
  async finish({ number, removals }: RemovalRound): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.holdRounds(tx);
      if ((await this.finishedRounds(tx)) !== number - 1) {
        return;
      }
      await this.countRound(tx);
      await tx.query(
        `DELETE FROM event_removals WHERE id IN (${placeholders(removals.length)})`,
        removals.map(({ id }) => id),
      );
    });
  }
}

const removalsIn = (rows: readonly RemovalRow[]): Removal[] =>
  rows.filter(({ id }) => id !== FINISHED).map(toRemoval);

const finishedRoundsIn = (rows: readonly RemovalRow[]): number =>
  Number(rows.find(({ id }) => id === FINISHED)?.up_to_batch ?? 0);

const toRemoval = (row: RemovalRow): Removal => ({
  id: row.id,
  projectId: row.project_id,
  visitorId: row.visitor_id,
  before: numberOrNull(row.happened_before),
  upTo: Number(row.up_to_batch),
  requestedAt: Number(row.requested_at),
});
