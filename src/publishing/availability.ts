import { Injectable, Logger } from '@nestjs/common';

const RETRY_MS = 1_000;

/** Circuit breaker for the database of delivery. After a failure, one request per second retries; no request waits. */
@Injectable()
export class Availability {
  private readonly logger = new Logger('Delivery');
  private away = false;
  private retryAt = 0;

  get isAway(): boolean {
    return this.away;
  }

  /** Whether the caller may query the database. While it is unavailable, one caller per second may. */
  claimTry(): boolean {
    if (!this.away) {
      return true;
    }
    const now = performance.now();
    if (now < this.retryAt) {
      return false;
    }
    this.retryAt = now + RETRY_MS;
    return true;
  }

  answered(): void {
    if (this.away) {
      this.away = false;
      this.logger.log('The database answers again; the current revisions are served.');
    }
  }

  failed(error: unknown): void {
    this.retryAt = performance.now() + RETRY_MS;
    if (!this.away) {
      this.away = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn(`The database does not answer (${reason}); the last known revisions are served.`);
    }
  }
}
