import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_RETRY_PAUSE_MS } from './retry';

/** How long a process may write to SQLite before it lets others write, in milliseconds. */
const TURN_MS = 200;

/** Long enough that each process that waits tries again. */
const PAUSE_MS = 2 * MAX_RETRY_PAUSE_MS;

/**
 * Pauses between the transactions of background work. SQLite has no queue for processes that want to write: they try
 * again every few milliseconds, and rarely find a gap if one transaction follows the other.
 */
export class WritingTurns {
  private began = 0;
  private ended = 0;

  /** Runs a transaction, after a pause if the turn is over. */
  async run<T>(transaction: () => Promise<T>): Promise<T> {
    if (performance.now() - this.ended < PAUSE_MS && performance.now() - this.began > TURN_MS) {
      await sleep(PAUSE_MS);
    }
    if (performance.now() - this.ended >= PAUSE_MS) {
      this.began = performance.now();
    }
    try {
      return await transaction();
    } finally {
      this.ended = performance.now();
    }
  }
}
