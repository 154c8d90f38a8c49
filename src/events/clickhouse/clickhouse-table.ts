import { Injectable } from '@nestjs/common';
import { inTime } from '../../common/event-loop';
import type { Micros } from '../../common/time/clock';
import { Database } from '../../database/database';
import { OpeningError } from '../../database/errors';
import { CANCELLED, EventsMovingError, UNDER_WAY, UnusableEventLogError } from '../event-log';
import { EventMoves, RESERVED_BATCHES } from '../move/event-moves.store';
import { ClickHouse, ClickHouseError } from './clickhouse';
import { EventBatches } from './event-batches.store';
import { RemovalHistory } from './removal-history';
import {
  batchAfter,
  batchUpTo,
  copiesComment,
  createClosedBatches,
  createEvents,
  createRemovals,
  deleteAfter,
  deleteUpTo,
  noteCopies,
  ownerComment,
  ownTables,
} from './table.store';

/** How long requests and server startup wait for ClickHouse. */
const LIMIT_MS = 3_000;
const LATE = `ClickHouse did not respond within ${LIMIT_MS} ms.`;

/** Makes sure that the events table exists and belongs to this database. */
@Injectable()
export class ClickHouseTable {
  private known: Promise<void> | null = null;
  private hasBatches = false;
  private hasAllEvents = false;

  constructor(
    private readonly database: Database,
    private readonly clickhouse: ClickHouse,
    private readonly batches: EventBatches,
    private readonly moves: EventMoves,
    private readonly history: RemovalHistory,
  ) {}

  /**
   * Resolves when the events in the table can be read and counted.
   * @throws EventsMovingError while the table does not have all events; also throws the errors that `writable` throws
   */
  async ready(): Promise<void> {
    await this.writable();
    if (!this.hasAllEvents) {
      const move = await this.moves.state();
      if (move?.isFinished === false) {
        throw new EventsMovingError(UNDER_WAY);
      }
      if (Number.isNaN(await this.batches.lastBatch())) {
        throw new EventsMovingError(CANCELLED);
      }
      this.hasAllEvents = move !== null;
    }
  }

  /**
   * Resolves when events can be stored in the table.
   * @throws UnusableEventLogError if the table must not be used with this database
   * @throws ClickHouseError if ClickHouse does not respond
   */
  async writable(): Promise<void> {
    if (!this.hasBatches) {
      await this.requireMoved();
    }
    this.known ??= this.prepare().catch((error: unknown) => {
      this.known = null;
      throw error instanceof OpeningError ? new UnusableEventLogError(error.message) : error;
    });
    return this.known;
  }

  /** @returns why events cannot be stored in the table; null if they can, or if the main database fails */
  problem(): Promise<string | null> {
    const found = this.writable().then(
      () => null,
      (error: unknown) =>
        error instanceof UnusableEventLogError || error instanceof ClickHouseError ? error.message : null,
    );
    return inTime(found, LIMIT_MS, LATE);
  }

  /**
   * Fails if the main database has events but no move has begun. Until the first batch is opened, processes without
   * `EVENTS_URL` may store events in the main database.
   */
  private async requireMoved(): Promise<void> {
    if ((await this.moves.state()) === null) {
      await this.batches.requireNoOtherEvents();
    }
    this.hasBatches = (await this.batches.lastBatch()) > 0;
  }

  /** Like `writable`, but ignores events in the main database. @throws OpeningError if the table must not be used */
  async prepare(): Promise<void> {
    const owner = await this.database.transaction((tx) => this.batches.initialize(tx));
    const last = await this.batches.lastBatch();
    const tables = await this.tables();
    if (!tables.has('events') && last > 0) {
      throw new OpeningError('The ClickHouse table "events" is missing. Restore it, or correct EVENTS_URL.');
    }
    if (!tables.has('events')) {
      await this.clickhouse.command(createEvents(owner));
    }
    if (!tables.has('closed_batches')) {
      await this.clickhouse.command(createClosedBatches());
    }
    if (!tables.has('removals')) {
      await this.clickhouse.command(createRemovals());
    }
    requireOwner(await this.tables(), owner);
    await this.requireKnownBatches();
    await this.forgetCancelled();
    await this.history.catchUp();
  }

  /** Does nothing if the table does not exist. @throws OpeningError if it belongs to another installation */
  async requireOwn(): Promise<void> {
    const tables = await this.tables();
    if (tables.has('events')) {
      requireOwner(tables, await this.batches.owner());
    }
  }

  /**
   * Reserves the batches up to `RESERVED_BATCHES` for the copies of a move.
   * @throws OpeningError if the table has other events in them
   */
  async reserve(startedAt: Micros): Promise<void> {
    if (!(await this.hasCopies(startedAt))) {
      await this.clickhouse.start(noteCopies(startedAt));
    }
  }

  /**
   * Whether the events in the reserved batches are copies of this move. A main database that was restored from a backup
   * may have the record of an earlier move, although these batches have the only copies of events.
   * @returns false if there are no such events
   * @throws OpeningError if they are not copies of this move, or the table belongs to another installation
   */
  async hasCopies(startedAt: Micros): Promise<boolean> {
    const tables = await this.tables();
    if (!tables.has('events')) {
      return false;
    }
    requireOwner(tables, await this.batches.owner());
    if (tables.get('closed_batches') === copiesComment(startedAt)) {
      return true;
    }
    if ((await this.clickhouse.rows(batchUpTo(RESERVED_BATCHES), LIMIT_MS)).length > 0) {
      throw new OpeningError(
        `ClickHouse has events that are not copies of this move. The main database is older, perhaps restored from a backup. The events may exist nowhere else. Only if you do not need them, delete them, then run the command again: ${deleteUpTo(RESERVED_BATCHES)}`,
      );
    }
    return false;
  }

  /** From now on, batches in ClickHouse are not copies of a cancelled move, not even for a restored main database. */
  private async forgetCancelled(): Promise<void> {
    const startedAt = await this.moves.cancelled();
    if (startedAt !== null) {
      await this.moves.forgetCancelled(startedAt, () => this.clickhouse.start(noteCopies(null)));
    }
  }

  /** The comments of the existing tables, by table name. */
  private async tables(): Promise<Map<string, string>> {
    const rows = await this.clickhouse.rows<{ name: string; comment: string }>(ownTables(), LIMIT_MS);
    return new Map(rows.map(({ name, comment }) => [name, comment]));
  }

  /**
   * Fails if ClickHouse has batches that are unknown to the main database, because new batches must not reuse their
   * ids.
   */
  private async requireKnownBatches(): Promise<void> {
    const last = await this.batches.lastBatch();
    const newer = await this.clickhouse.rows<{ batch_id: number }>(batchAfter(last), LIMIT_MS);
    const known = newer.length === 0 ? last : await this.batches.lastBatch();
    if (newer.some(({ batch_id }) => batch_id > known)) {
      throw new OpeningError(
        `ClickHouse has batches after ${last}, which is the last batch in the main database. The main database is older, perhaps restored from a backup. Delete these batches first: ${deleteAfter(last)}`,
      );
    }
  }
}

function requireOwner(tables: ReadonlyMap<string, string>, owner: number): void {
  if (tables.get('events') !== ownerComment(owner)) {
    throw new OpeningError(
      'The ClickHouse table "events" belongs to another installation. Correct EVENTS_URL: each installation needs a database of its own.',
    );
  }
}
