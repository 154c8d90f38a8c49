import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Micros, nowMicros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { countRows } from '../../database/row-store';
import { STORED } from '../clickhouse/event-batch.entity';
import { EventMoveRefusedError } from '../event-log';
import { EventGates } from '../event-gates.store';

/** The key of an event. */
export interface EventPosition {
  project_id: number;
  visitor_id: string;
  event_id: string;
}

/** Progress of the move. */
export interface MoveState {
  /** Identifies the move. */
  startedAt: Micros;
  /** The last event that was copied. */
  copied: EventPosition;
  events: number;
  waitingBatches: number;
  isFinished: boolean;
}

interface Row extends EventPosition {
  events: number | string;
  waiting_batches: number;
  started_at: number | string;
  finished_at: number | string | null;
}

/** The batch of all events that were attributed when the move began. */
export const ATTRIBUTED_BATCH = 1;
/**
 * Batch ids reserved for moved events. Batches from servers get higher ids, so if an event is sent again, its moved
 * copy is the one that counts.
 */
export const RESERVED_BATCHES = 2 ** 30;

/** The id of the row in `event_moves` while a move is in progress, and after it has finished. */
const ID = 1;
/** The id after the move was cancelled, until ClickHouse is used again: it may still have copies. */
const CANCELLED_ID = 2;
const START: EventPosition = { project_id: 0, visitor_id: '', event_id: '' };
const OTHER_PROCESS = 'Another process is moving the events of this database.';

/** The move was cancelled. Batches that this process inserted afterwards are still in ClickHouse. */
export class EventMoveCancelledError extends EventMoveRefusedError {
  constructor() {
    super('The move was cancelled while this command was running.');
  }
}

/** Stores the progress of moving events from the main database to ClickHouse. */
@Injectable()
export class EventMoves {
  constructor(
    private readonly database: Database,
    private readonly gates: EventGates,
  ) {}

  /** @returns null if no move has begun, or it was cancelled */
  async state(): Promise<MoveState | null> {
    const [row]: Row[] = await this.database.read.query(
      'SELECT project_id, visitor_id, event_id, events, waiting_batches, started_at, finished_at FROM event_moves WHERE id = ?',
      [ID],
    );
    return row === undefined ? null : toState(row);
  }

  /** Like `cancelledMove`. */
  cancelled(): Promise<Micros | null> {
    return cancelledMove(this.database.read);
  }

  /** Runs work if this move is still cancelled. No move begins, and no server opens a batch, while it runs. */
  async whileCancelled(startedAt: Micros, work: (tx: Tx) => Promise<void>): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await this.holdCancelled(tx, startedAt)) {
        await work(tx);
      }
    });
  }

  /** Like `whileCancelled`, and then forgets the move. */
  async forgetCancelled(startedAt: Micros, work: () => Promise<void>): Promise<void> {
    await this.whileCancelled(startedAt, async (tx) => {
      await work();
      await tx.query('DELETE FROM event_moves WHERE id = ?', [CANCELLED_ID]);
    });
  }

  /**
   * Begins a move. After this transaction, the main database stores, counts and removes no events, and servers with
   * `EVENTS_URL` can store events in ClickHouse.
   * @throws EventMoveRefusedError if ClickHouse already stores this database's events
   */
  begin(): Promise<MoveState> {
    return this.database.transaction(async (tx) => {
      await this.gates.close(tx);
      const reserved = await countRows(
        tx,
        "UPDATE event_log_marks SET position = ? WHERE name = 'last_batch' AND position = 0",
        [RESERVED_BATCHES],
      );
      if (reserved !== 1) {
        throw new EventMoveRefusedError(
          'ClickHouse already stores the events of this database, or another process has just begun to move them.',
        );
      }
      await tx.query("UPDATE event_log_marks SET position = ? WHERE name = 'low_water'", [ATTRIBUTED_BATCH]);
      await tx.query('DELETE FROM event_moves WHERE id = ?', [CANCELLED_ID]);
      const state = {
        startedAt: nowMicros(),
        copied: START,
        events: 0,
        waitingBatches: 0,
        isFinished: false,
      };
      await tx.query(
        `INSERT INTO event_moves (id, project_id, visitor_id, event_id, events, waiting_batches, started_at, finished_at, lock_version)
         VALUES (?, ?, ?, ?, 0, 0, ?, NULL, 0)`,
        [ID, START.project_id, START.visitor_id, START.event_id, state.startedAt],
      );
      return state;
    });
  }

  /**
   * Records that more events have been copied to ClickHouse.
   * @param waiting how many of these events are not attributed yet; they have a separate batch
   * @throws EventMoveRefusedError if another process has recorded progress
   * @throws EventMoveCancelledError if the move was cancelled
   */
  advance(from: MoveState, to: MoveState, waiting: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      const { copied, events, waitingBatches } = to;
      await this.change(
        tx,
        'project_id = ?, visitor_id = ?, event_id = ?, events = ?, waiting_batches = ?',
        [copied.project_id, copied.visitor_id, copied.event_id, events, waitingBatches],
        from,
      );
      if (waiting > 0) {
        await tx.query('INSERT INTO event_batches (id, state, events, opened_at) VALUES (?, ?, ?, ?)', [
          waitingBatchOf(from),
          STORED,
          waiting,
          nowMicros(),
        ]);
      }
    });
  }

  /** Finishes the move: from now on, ClickHouse counts the events. The id of the last copied visitor is not kept. */
  finish(state: MoveState): Promise<void> {
    return this.database.transaction((tx) =>
      this.change(
        tx,
        'finished_at = ?, project_id = ?, visitor_id = ?, event_id = ?',
        [nowMicros(), START.project_id, START.visitor_id, START.event_id],
        state,
      ),
    );
  }

  /** Restarts copying from the first event. */
  restart(state: MoveState): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.change(
        tx,
        'project_id = ?, visitor_id = ?, event_id = ?, events = 0, waiting_batches = 0',
        [START.project_id, START.visitor_id, START.event_id],
        state,
      );
      await tx.query('DELETE FROM event_batches WHERE id <= ?', [RESERVED_BATCHES]);
    });
  }

  /**
   * Cancels the move. Does nothing if it is already cancelled. Its copies in ClickHouse must be deleted afterwards.
   * @throws EventMoveRefusedError if the move has finished, or servers have stored events in ClickHouse
   */
  cancel(): Promise<void> {
    return this.database.transaction(async (tx) => {
      if ((await cancelledMove(tx)) !== null) {
        return;
      }
      const unused = await countRows(
        tx,
        "DELETE FROM event_log_marks WHERE name = 'last_batch' AND position = ?",
        [RESERVED_BATCHES],
      );
      const unfinished = await countRows(
        tx,
        `UPDATE event_moves SET id = ?, project_id = ?, visitor_id = ?, event_id = ?, lock_version = lock_version + 1
          WHERE id = ? AND finished_at IS NULL`,
        [CANCELLED_ID, START.project_id, START.visitor_id, START.event_id, ID],
      );
      if (unused + unfinished !== 2) {
        throw new EventMoveRefusedError(
          'There is no move to cancel: none has begun, it has already finished, or servers have stored events in ClickHouse since it began. In the last case, run events:move to finish it.',
        );
      }
      // Without these counters, servers that still have EVENTS_URL can neither store nor count events.
      await tx.query("DELETE FROM event_log_marks WHERE name <> 'owner'");
      await tx.query('DELETE FROM event_batches');
      // Pending removals would hide events in ClickHouse after a later move.
      await tx.query('DELETE FROM event_removals');
      await this.gates.open(tx);
    });
  }

  /** Locks the finished move until this transaction ends. @throws EventMoveRefusedError if it has not finished */
  async holdFinished(tx: Tx): Promise<void> {
    const found = await countRows(
      tx,
      'UPDATE event_moves SET lock_version = lock_version + 1 WHERE id = ? AND finished_at IS NOT NULL',
      [ID],
    );
    if (found !== 1) {
      throw new EventMoveRefusedError(
        'The events have not been moved. Run events:move first, and remove them after it has finished.',
      );
    }
  }

  private async holdCancelled(tx: Tx, startedAt: Micros): Promise<boolean> {
    const found = await countRows(
      tx,
      'UPDATE event_moves SET lock_version = lock_version + 1 WHERE id = ? AND started_at = ?',
      [CANCELLED_ID, startedAt],
    );
    return found === 1;
  }

  private async change(
    tx: Tx,
    assignments: string,
    values: readonly (number | string)[],
    from: MoveState,
  ): Promise<void> {
    const { project_id, visitor_id, event_id } = from.copied;
    const found = await countRows(
      tx,
      `UPDATE event_moves SET lock_version = lock_version + 1, ${assignments}
        WHERE id = ? AND finished_at IS NULL AND events = ? AND project_id = ? AND visitor_id = ? AND event_id = ?`,
      [...values, ID, from.events, project_id, visitor_id, event_id],
    );
    if (found !== 1) {
      throw (await cancelledMove(tx)) !== null
        ? new EventMoveCancelledError()
        : new EventMoveRefusedError(OTHER_PROCESS);
    }
  }
}

/** When the last move began if it was cancelled and ClickHouse has not been used since; null otherwise. */
export async function cancelledMove(manager: EntityManager): Promise<Micros | null> {
  const [row]: Pick<Row, 'started_at'>[] = await manager.query(
    'SELECT started_at FROM event_moves WHERE id = ?',
    [CANCELLED_ID],
  );
  return row === undefined ? null : Number(row.started_at);
}

/** The batch for the next events that are not attributed yet. */
export const waitingBatchOf = ({ waitingBatches }: MoveState): number =>
  ATTRIBUTED_BATCH + 1 + waitingBatches;

const toState = ({
  project_id,
  visitor_id,
  event_id,
  events,
  waiting_batches,
  started_at,
  finished_at,
}: Row): MoveState => ({
  startedAt: Number(started_at),
  copied: { project_id, visitor_id, event_id },
  events: Number(events),
  waitingBatches: waiting_batches,
  isFinished: finished_at !== null,
});
