import { Logger } from '@nestjs/common';
import { growingCache } from '../common/lists/collections';
import { errorMessage } from '../common/logging/logged-error';
import type { Micros } from '../common/time/clock';

const MAX_KEPT = 10_000;
const MINUTE_MICROS = 60_000_000;

/**
 * Stores when records were last used. Requests do not wait for this, and do not fail if it fails, because reading must
 * work while nothing can be written.
 */
export class LastUses {
  private readonly triedInMinute = growingCache<number, number>(MAX_KEPT);
  private readonly pending = new Set<Promise<void>>();

  /** @param kind the kind of record, for the log */
  constructor(
    private readonly kind: string,
    private readonly logger: Logger,
  ) {}

  /**
   * Tries to store a use, at most once a minute for each record.
   * @param store gets the start of the minute
   */
  note(id: number, now: Micros, store: (minute: Micros) => Promise<void>): void {
    const minute = Math.floor(now / MINUTE_MICROS);
    if (this.triedInMinute.get(id) === minute) {
      return;
    }
    this.triedInMinute.set(id, minute);
    const note = store(minute * MINUTE_MICROS)
      .catch((error: unknown) => {
        this.logger.warn(`The last use of ${this.kind} ${id} could not be stored: ${errorMessage(error)}`);
      })
      .finally(() => this.pending.delete(note));
    this.pending.add(note);
  }

  /** Waits until all pending uses have been stored. */
  async stored(): Promise<void> {
    await Promise.all(this.pending);
  }
}
