import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { ignoringDuplicates } from '../../database/dialect';
import { countRows, placeholders } from '../../database/row-store';
import { type Arrived, CANCELLED, EventsMovingError, UnusableEventLogError } from '../event-log';
import { EventGates } from '../event-gates.store';
import { cancelledMove } from '../move/event-moves.store';
import { ATTRIBUTED, CLOSED, OPEN, STORED } from './event-batch.entity';

const UNMOVED =
  'EVENTS_URL is set, but the events are in the main database and would be missing in results. Move them to ClickHouse first (admin command events:move), or start without EVENTS_URL.';

type Stored = number | string;
type Mark = 'owner' | 'last_batch' | 'low_water' | 'attribution' | 'removals';

export interface WaitingBatch {
  id: number;
  events: number;
}

/** The batches that count: all but the closed ones up to the low-water mark, and the listed ones above it. */
export interface CountedBatches {
  low: number;
  closed: number[];
  above: number[];
}

/** The mark of a visitor with new links or exclusions, with the lock version that was read. */
export interface VisitorMark {
  project_id: number;
  visitor_id: string;
  lock_version: Stored;
}

/** Maximum number of rows for attributed and closed batches before the low-water mark is moved. */
const MAX_DONE = 200;
/** Longer than a collector's insert timeout plus the time for which ClickHouse may keep working on the insert. */
const INSERTED_MICROS = 120_000_000;
const OWNERS = 2 ** 47;
const MARKS: Mark[] = ['last_batch', 'low_water', 'attribution', 'removals'];

/** Batches of events in ClickHouse, with their states. */
@Injectable()
export class EventBatches {
  constructor(
    private readonly database: Database,
    private readonly gates: EventGates,
  ) {}

  /** Creates the counters unless they exist. @returns the id of this event log */
  async initialize(tx: Tx): Promise<number> {
    const rows = [['owner', randomInt(OWNERS)], ...MARKS.map((name) => [name, 0])];
    await tx.query(
      `INSERT INTO event_log_marks (name, position, lock_version)
       VALUES ${rows.map(() => '(?, ?, 0)').join(', ')} ${ignoringDuplicates(this.database.engine, 'name')}`,
      rows.flat(),
    );
    return this.position(tx, 'owner');
  }

  /** The id of this event log; NaN before the counters exist. */
  owner(): Promise<number> {
    return this.position(this.database.read, 'owner');
  }

  lastBatch(): Promise<number> {
    return this.position(this.database.read, 'last_batch');
  }

  /** @throws UnusableEventLogError if there are events in the main database, which would be missing from results */
  async requireNoOtherEvents(manager = this.database.read, lock = ''): Promise<void> {
    const rows: unknown[] = await manager.query(`SELECT 1 FROM events LIMIT 1${lock}`);
    if (rows.length > 0) {
      throw new UnusableEventLogError(UNMOVED);
    }
  }

  /**
   * Opens a new batch. Ids are committed in ascending order, because each transaction updates the last id. Once the
   * first batch exists, processes without `EVENTS_URL` store no events in the main database.
   * @throws UnusableEventLogError if such processes have already stored events
   */
  async open(tx: Tx, events: number): Promise<number> {
    await tx.query("UPDATE event_log_marks SET position = position + 1 WHERE name = 'last_batch'");
    const id = await this.position(tx, 'last_batch');
    if (Number.isNaN(id)) {
      throw new EventsMovingError(CANCELLED);
    }
    if (id === 1) {
      // Batches of servers must not look like copies of a cancelled move. `ClickHouseTable.prepare` forgets it first.
      if ((await cancelledMove(tx)) !== null) {
        throw new EventsMovingError(CANCELLED);
      }
      await this.gates.close(tx);
      // On MySQL, only a locking read sees events that were stored since the transaction began.
      await this.requireNoOtherEvents(tx, this.database.forUpdate);
    }
    await tx.query('INSERT INTO event_batches (id, state, events, opened_at) VALUES (?, ?, ?, ?)', [
      id,
      OPEN,
      events,
      nowMicros(),
    ]);
    return id;
  }

  /** Records that the batch's events are durable. @returns false if the batch was closed in the meantime */
  async store(tx: Tx, id: number): Promise<boolean> {
    return (await this.move(tx, id, STORED)) === 1;
  }

  /** Closes a batch unless it is stored. The events in a closed batch are never acknowledged. */
  async close(tx: Tx, id: number): Promise<void> {
    await this.move(tx, id, CLOSED);
  }

  private move(tx: Tx, id: number, state: number): Promise<number> {
    return countRows(tx, 'UPDATE event_batches SET state = ? WHERE id = ? AND state = ?', [state, id, OPEN]);
  }

  /** Closes up to 500 open batches that were opened before a given time, because their collectors must have died. */
  async closeOpenedBefore(moment: Micros): Promise<void> {
    const rows: { id: Stored }[] = await this.database.read.query(
      'SELECT id FROM event_batches WHERE state = ? AND opened_at < ? LIMIT 500',
      [OPEN, moment],
    );
    for (const { id } of rows) {
      await this.database.transaction((tx) => this.close(tx, Number(id)));
    }
  }

  /** The oldest stored batch, plus further stored batches, with at most `limit` events in total. */
  async waiting(limit: number): Promise<WaitingBatch[]> {
    const rows: { id: Stored; events: number }[] = await this.database.read.query(
      'SELECT id, events FROM event_batches WHERE state = ? ORDER BY id LIMIT 4000',
      [STORED],
    );
    let sum = 0;
    return rows
      .map(({ id, events }) => ({ id: Number(id), events }))
      .filter(({ events }, index) => index === 0 || (sum += events) <= limit);
  }

  /** Counts open and stored batches and their events, by state. */
  async countWaiting(): Promise<{ state: number; batches: number; events: number }[]> {
    const rows: { state: number; batches: Stored; events: Stored }[] = await this.database.read.query(
      'SELECT state, COUNT(*) AS batches, SUM(events) AS events FROM event_batches WHERE state IN (?, ?) GROUP BY state',
      [OPEN, STORED],
    );
    return rows.map(({ state, batches, events }) => ({
      state,
      batches: Number(batches),
      events: Number(events),
    }));
  }

  /** Marks of visitors with new links or exclusions, sorted by visitor. */
  marks(limit: number): Promise<VisitorMark[]> {
    return this.database.read.query(
      `SELECT project_id, visitor_id, lock_version FROM dirty_visitors ORDER BY project_id, visitor_id LIMIT ${limit}`,
    );
  }

  /** Removes a mark. @returns false if it has changed */
  async removeMark(tx: Tx, { project_id, visitor_id, lock_version }: VisitorMark): Promise<boolean> {
    const found = await countRows(
      tx,
      'DELETE FROM dirty_visitors WHERE project_id = ? AND visitor_id = ? AND lock_version = ?',
      [project_id, visitor_id, lock_version],
    );
    return found === 1;
  }

  /** Locks attribution on all nodes until this transaction ends. */
  async holdAttribution(tx: Tx): Promise<void> {
    const held = await countRows(
      tx,
      "UPDATE event_log_marks SET lock_version = lock_version + 1 WHERE name = 'attribution'",
      [],
    );
    if (held !== 1) {
      throw new EventsMovingError(CANCELLED);
    }
  }

  /** The batches that currently count. Uses a single statement, so that the state is consistent. */
  async counted(manager: EntityManager, states: readonly number[] = [ATTRIBUTED]): Promise<CountedBatches> {
    const rows: { id: Stored; state: Stored }[] = await manager.query(
      `SELECT id, state FROM event_batches WHERE state IN (${placeholders(states.length + 1)})
        UNION ALL SELECT position AS id, -1 AS state FROM event_log_marks WHERE name = 'low_water'`,
      [CLOSED, ...states],
    );
    const batches = rows.map(({ id, state }) => ({ id: Number(id), state: Number(state) }));
    const low = batches.find(({ state }) => state === -1)?.id ?? 0;
    const idsOf = (isWanted: (batch: { id: number; state: number }) => boolean): number[] =>
      batches
        .filter(isWanted)
        .map(({ id }) => id)
        .sort((a, b) => a - b);
    return {
      low,
      closed: idsOf(({ id, state }) => state === CLOSED && id <= low),
      above: idsOf(({ id, state }) => states.includes(state) && id > low),
    };
  }

  /**
   * Marks batches as attributed, so that they count.
   * @returns false if a batch is not stored or is already attributed
   */
  async attribute(tx: Tx, ids: readonly number[]): Promise<boolean> {
    if (ids.length === 0) {
      return true;
    }
    const found = await countRows(
      tx,
      `UPDATE event_batches SET state = ? WHERE state = ? AND id IN (${placeholders(ids.length)})`,
      [ATTRIBUTED, STORED, ...ids],
    );
    return found === ids.length;
  }

  /** Whether there are enough attributed and closed batches for a compaction. */
  async areManyDone(): Promise<boolean> {
    const rows: unknown[] = await this.database.read.query(
      `SELECT id FROM event_batches WHERE state IN (?, ?) LIMIT ${MAX_DONE + 1}`,
      [ATTRIBUTED, CLOSED],
    );
    return rows.length > MAX_DONE;
  }

  /** Closed batches, the oldest first. */
  async closed(limit: number): Promise<number[]> {
    const rows: { id: Stored }[] = await this.database.read.query(
      `SELECT id FROM event_batches WHERE state = ? ORDER BY id LIMIT ${limit}`,
      [CLOSED],
    );
    return rows.map(({ id }) => Number(id));
  }

  /**
   * Deletes closed batches after they have been added to the list in ClickHouse. `store` still returns false for these
   * batches.
   */
  async forgetClosed(ids: readonly number[]): Promise<void> {
    await this.database.transaction((tx) =>
      tx.query(`DELETE FROM event_batches WHERE state = ? AND id IN (${placeholders(ids.length)})`, [
        CLOSED,
        ...ids,
      ]),
    );
  }

  /**
   * Returns the id of the last batch that has been opened. Batches with higher ids cannot be committed before the
   * transaction ends.
   */
  async holdOpening(tx: Tx): Promise<number> {
    await tx.query("UPDATE event_log_marks SET lock_version = lock_version + 1 WHERE name = 'last_batch'");
    return this.position(tx, 'last_batch');
  }

  /** Which events have arrived in ClickHouse, including events in closed batches. */
  async arrived(): Promise<Arrived> {
    const before = nowMicros() - INSERTED_MICROS;
    const [row]: { batch: Stored | null }[] = await this.database.read.query(
      `SELECT COALESCE(MIN(b.id) - 1, MAX(m.position)) AS batch
        FROM event_log_marks m LEFT JOIN event_batches b ON b.state = ? WHERE m.name = 'last_batch'`,
      [OPEN],
    );
    return { batch: Number(row?.batch), before };
  }

  /**
   * The last batch before the first one that is still open or not attributed; the very last batch if there is no such
   * batch.
   */
  async settled(tx: Tx): Promise<number> {
    const last = await this.holdOpening(tx);
    const [row]: { id: Stored | null }[] = await tx.query(
      'SELECT MIN(id) AS id FROM event_batches WHERE state IN (?, ?)',
      [OPEN, STORED],
    );
    return row?.id === null || row === undefined ? last : Number(row.id) - 1;
  }

  /**
   * Moves the low-water mark forward to the batch before the first waiting one. This does not change which batches
   * count.
   */
  async compact(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const low = await this.settled(tx);
      await tx.query("UPDATE event_log_marks SET position = ? WHERE name = 'low_water'", [low]);
      await tx.query('DELETE FROM event_batches WHERE state = ? AND id <= ?', [ATTRIBUTED, low]);
    });
  }

  private async position(manager: EntityManager, name: Mark): Promise<number> {
    const [row]: { position: Stored }[] = await manager.query(
      'SELECT position FROM event_log_marks WHERE name = ?',
      [name],
    );
    return Number(row?.position);
  }
}
