import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { failureLog } from '../common/errors/failure-log';
import { Config } from '../config/config';
import { Database, Tx } from '../database/database';
import { ignoringDuplicates } from '../database/dialect';
import { countRows } from '../database/row-store';
import { EventsMovingError, GATE_CLOSED } from './event-log';

/** Enough slots that concurrent transactions rarely share one. */
const SLOTS = 64;

/**
 * Every transaction that changes or counts events in the main database passes a gate. The gates are closed when
 * ClickHouse becomes the event log. A transaction can also wait for all transactions that have already passed a gate.
 */
@Injectable()
export class EventGates {
  private readonly logger = new Logger(EventGates.name);

  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /**
   * Passes a gate, so ClickHouse cannot become the event log on any node before this transaction ends. Does nothing in
   * a process with `EVENTS_URL`, which neither changes nor counts events in the main database.
   * @throws EventsMovingError if ClickHouse is already the event log
   */
  async pass(tx: Tx): Promise<void> {
    const slot = randomInt(SLOTS);
    if (this.config.eventsUrl !== null || (await countIn(tx, slot))) {
      return;
    }
    await this.create(tx, [slot]);
    if (!(await countIn(tx, slot))) {
      const error = new EventsMovingError(GATE_CLOSED);
      failureLog.report(this.logger, error, {}, 'This process no longer stores or counts events');
      throw error;
    }
  }

  /**
   * Waits until all transactions that have passed a gate, on all nodes, have ended. Other transactions can pass again
   * when this transaction ends.
   */
  async waitForPassed(tx: Tx): Promise<void> {
    await this.createAll(tx);
    await tx.query('UPDATE event_gates SET lock_version = lock_version + 1');
  }

  /** Waits until all transactions that have passed a gate have ended, and lets no further transactions pass. */
  async close(tx: Tx): Promise<void> {
    await this.createAll(tx);
    await tx.query('UPDATE event_gates SET is_closed = 1, lock_version = lock_version + 1');
  }

  /** Undoes `close`. */
  async open(tx: Tx): Promise<void> {
    await tx.query('UPDATE event_gates SET is_closed = 0, lock_version = lock_version + 1');
  }

  /** @returns why events cannot be stored; null if they can, or if the database does not respond */
  async problem(): Promise<string | null> {
    try {
      const closed: unknown[] = await this.database.delivery.query(
        'SELECT slot FROM event_gates WHERE is_closed = 1 LIMIT 1',
      );
      return closed.length > 0 ? GATE_CLOSED : null;
    } catch {
      // The database probe reports this failure.
      return null;
    }
  }

  private createAll(tx: Tx): Promise<void> {
    return this.create(tx, [...Array(SLOTS).keys()]);
  }

  private async create(tx: Tx, slots: readonly number[]): Promise<void> {
    await tx.query(
      `INSERT INTO event_gates (slot, is_closed, lock_version) VALUES ${slots.map(() => '(?, 0, 0)').join(', ')}
       ${ignoringDuplicates(this.database.engine, 'slot')}`,
      [...slots],
    );
  }
}

/** @returns false if the slot is closed or has no row */
const countIn = async (tx: Tx, slot: number): Promise<boolean> =>
  (await countRows(
    tx,
    'UPDATE event_gates SET lock_version = lock_version + 1 WHERE slot = ? AND is_closed = 0',
    [slot],
  )) === 1;
