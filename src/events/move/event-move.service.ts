import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { OpeningError } from '../../database/errors';
import { ClickHouse, ClickHouseError } from '../clickhouse/clickhouse';
import { ClickHouseTable } from '../clickhouse/clickhouse-table';
import type { EventLogRow } from '../clickhouse/event-rows';
import { unfinishedDeletion } from '../clickhouse/reading.store';
import { EventMoveRefusedError } from '../event-log';
import type { Progress } from '../rebuild.service';
import {
  ATTRIBUTED_BATCH,
  EventMoveCancelledError,
  EventMoves,
  EventPosition,
  MoveState,
  waitingBatchOf,
} from './event-moves.store';
import * as moved from './moved-events.store';
import { ComparedResults, ResultComparison } from './result-comparison';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

const DELETION_PAUSE_MS = 200;
const DELETION_MS = 600_000;

export interface MoveProgress {
  copied: Progress;
  compared: Progress;
  counted: Progress;
}

/** Summary of a move. */
export interface MoveReport {
  events: number;
  /** Number of events that an interrupted move had already copied. */
  resumed_after: number;
  /** Experiments whose results were compared; null with `skipResults`. */
  results: number | null;
  /** Ids of experiments whose results the worker recounts anyway, because their rules have changed. */
  recounting: number[];
  /** Whether the move had already finished. */
  finished_before: boolean;
}

export interface MoveOptions {
  /** Whether to finish without comparing the results. */
  skipResults: boolean;
}

/**
 * Moves the main database's events to ClickHouse while servers are running. First closes the main database's event log,
 * so the copied events cannot change. Servers with `EVENTS_URL` store new events in ClickHouse, and results are not
 * updated during the move. The move ends when ClickHouse has all events and, unless the comparison is skipped, the same
 * results as the main database. The move can be killed and run again at any time. docs/decisions/moving-events.md
 * explains the design.
 */
@Injectable()
export class EventMoveService {
  /** Maximum number of events in memory at a time. */
  static readonly PART = 10_000;

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly table: ClickHouseTable,
    private readonly moves: EventMoves,
    private readonly results: ResultComparison,
  ) {}

  /**
   * @throws EventMoveRefusedError if the move cannot begin or has to be run again
   * @throws OpeningError if the table in ClickHouse must not be used with this database
   */
  async move({ skipResults }: MoveOptions, progress: MoveProgress): Promise<MoveReport> {
    await this.deleteCopies();
    await this.table.prepare();
    const begun = (await this.moves.state()) ?? (await this.moves.begin());
    const report = { events: begun.events, resumed_after: begun.events, results: null, recounting: [] };
    if (begun.isFinished) {
      return { ...report, finished_before: true };
    }
    await this.table.reserve(begun.startedAt);
    const total = await moved.countEvents(this.database);
    const state = await this.copyAll(begun, total, progress.copied);
    await this.compareAll(state, total, progress.compared);
    const compared = skipResults ? null : await this.compareResults(progress.counted);
    // Once the move has finished, ClickHouse may have the only copies.
    await this.table.reserve(state.startedAt);
    await this.moves.finish(state);
    return {
      ...report,
      events: state.events,
      results: compared?.equal.length ?? null,
      recounting: compared?.recounting ?? [],
      finished_before: false,
    };
  }

  /**
   * Removes the moved events from the main database, in small transactions.
   * @returns the number of removed events
   * @throws EventMoveRefusedError if the move has not finished
   */
  async remove(progress: Progress): Promise<number> {
    const total = await moved.countEvents(this.database);
    let after: moved.VisitorPosition = { project_id: 0, visitor_id: '' };
    for (let done = 0; ;) {
      const from = after;
      const step = await this.database.transaction(async (tx) => {
        await this.moves.holdFinished(tx);
        return moved.removeAfter(tx, from);
      });
      if (step === null) {
        return done;
      }
      done += step.removed;
      after = step.to;
      progress(done, Math.max(done, total));
    }
  }

  /**
   * Cancels the move: the main database stores and counts events again. Safe to repeat.
   * @throws EventMoveRefusedError if the move has finished, servers have stored events in ClickHouse, or the copies could
   * not be deleted from ClickHouse
   * @throws OpeningError if the table in ClickHouse belongs to another installation, or has other events than the copies
   */
  async cancel(): Promise<void> {
    await this.table.requireOwn().catch((error: unknown) => {
      // The move can also be cancelled while ClickHouse is unavailable.
      if (!(error instanceof ClickHouseError)) {
        throw error;
      }
    });
    await this.moves.cancel();
    await this.deleteCancelled();
  }

  private async deleteCancelled(): Promise<void> {
    try {
      await this.deleteCopies();
    } catch (error) {
      throw error instanceof ClickHouseError
        ? new EventMoveRefusedError(
            `The move is cancelled, but its copies are still in ClickHouse. Run the command with --cancel again. ${error.message}`,
            { cause: error },
          )
        : afterCancellation(error);
    }
  }

  /** Deletes the copies of a cancelled move. A move that another process begins meanwhile keeps its copies. */
  private async deleteCopies(): Promise<void> {
    const startedAt = await this.moves.cancelled();
    if (startedAt === null || !(await this.table.hasCopies(startedAt))) {
      return;
    }
    await this.moves.whileCancelled(startedAt, () => this.clickhouse.start(moved.deleteMovedEvents()));
    await this.deletionsDone();
  }

  /** Waits outside of transactions, because a deletion rewrites large parts of the table. */
  private async deletionsDone(): Promise<void> {
    const deadline = Date.now() + DELETION_MS;
    while ((await this.clickhouse.rows(unfinishedDeletion())).length > 0) {
      if (Date.now() > deadline) {
        throw new ClickHouseError(new Error('The deletion has not finished yet.'));
      }
      await sleep(DELETION_PAUSE_MS);
    }
  }

  /**
   * Copies the remaining events in parts. If the process is killed before a part is recorded, the part is copied again
   * with the same rows and batches.
   */
  private async copyAll(begun: MoveState, total: number, progress: Progress): Promise<MoveState> {
    for (let state = begun; ;) {
      const events = await moved.eventsAfter(this.database, state.copied, EventMoveService.PART);
      if (events.length === 0) {
        return state;
      }
      const rows = events.map(({ row, isAttributed }) => ({
        ...row,
        batch_id: isAttributed ? ATTRIBUTED_BATCH : waitingBatchOf(state),
      }));
      await this.insert(rows);
      const waiting = events.filter(({ isAttributed }) => !isAttributed).length;
      const next = {
        ...state,
        copied: positionOf(rows),
        events: state.events + rows.length,
        waitingBatches: state.waitingBatches + (waiting > 0 ? 1 : 0),
      };
      await this.advance(state, next, waiting);
      state = next;
      progress(state.events, Math.max(state.events, total));
    }
  }

  /** Records a copied part. If the move was cancelled before the part was inserted, the part is deleted. */
  private async advance(from: MoveState, to: MoveState, waiting: number): Promise<void> {
    try {
      await this.moves.advance(from, to, waiting);
    } catch (error) {
      if (error instanceof EventMoveCancelledError) {
        await this.deleteCancelled();
      }
      throw error;
    }
  }

  /** Inserts rows, and retries after an error. It is safe to repeat an insert whose response was lost. */
  private async insert(rows: readonly EventLogRow[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.clickhouse.insert(rows);
        return;
      } catch (error) {
        if (!(error instanceof ClickHouseError) || attempt === ATTEMPTS) {
          throw error;
        }
        await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }

  /** Compares all events with their copies in ClickHouse. */
  private async compareAll(state: MoveState, total: number, progress: Progress): Promise<void> {
    let after: EventPosition = { project_id: 0, visitor_id: '', event_id: '' };
    for (let done = 0; ;) {
      const events = await moved.eventsAfter(this.database, after, EventMoveService.PART);
      const isLast = events.length < EventMoveService.PART;
      const to = isLast ? null : positionOf(events.map(({ row }) => row));
      const found = await this.clickhouse.rows<EventLogRow>(moved.movedEvents(after, to));
      const expected = events.map(({ row, isAttributed }) => textOf(row, isAttributed)).sort();
      const actual = found.map(({ batch_id, ...row }) => textOf(row, batch_id === ATTRIBUTED_BATCH)).sort();
      const different = expected.findIndex((text, index) => text !== actual[index]);
      if (different !== -1 || actual.length !== expected.length) {
        await this.startAgain(state, expected[different] ?? actual[expected.length]);
      }
      done += events.length;
      progress(done, Math.max(done, total));
      if (to === null) {
        return;
      }
      after = to;
    }
  }

  private async startAgain(state: MoveState, difference: string | undefined): Promise<never> {
    await this.moves.restart(state);
    await this.clickhouse.command(moved.deleteMovedEvents());
    throw new EventMoveRefusedError(
      `The events in ClickHouse differ from the events that were copied. First difference: ${difference ?? 'none'}. The copies were deleted; run the command again.`,
    );
  }

  private async compareResults(progress: Progress): Promise<ComparedResults> {
    const compared = await this.results.compare(progress);
    if (compared.differing.length > 0) {
      throw new EventMoveRefusedError(
        `ClickHouse has all events, but the results of these experiments do not match the events: ${compared.differing.join(', ')}. Run the command again with --skip-results, then results:rebuild for each of them.`,
      );
    }
    return compared;
  }
}

/** Says that the main database counts again, even if the events in ClickHouse must not be deleted. */
const afterCancellation = (error: unknown): unknown =>
  error instanceof OpeningError
    ? new OpeningError(`The move is cancelled, but nothing was deleted: ${error.message}`)
    : error;

const positionOf = (rows: readonly EventPosition[]): EventPosition => {
  const { project_id, visitor_id, event_id } = rows[rows.length - 1];
  return { project_id, visitor_id, event_id };
};

/** An event as text, for comparison. The text includes whether the event is attributed. */
const textOf = (row: Omit<EventLogRow, 'batch_id'>, isAttributed: boolean): string =>
  JSON.stringify([
    row.project_id,
    row.visitor_id,
    row.event_id,
    row.occurred_at,
    row.arrived_at,
    row.experiment_id,
    row.variation_id,
    row.phase,
    row.goal_id,
    row.value,
    row.device,
    isAttributed,
  ]);
