import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { errorMessage } from '../common/logging/logged-error';

const RETRY_MS = 1_000;

/**
 * Circuit breaker for the database queries that delivery makes. After a failure, one request per second tries the
 * database again. All other requests proceed without waiting for it.
 */
@Injectable()
export class Availability {
  private readonly logger = new Logger('Delivery');
  private away = false;
  private retryAt = 0;

  get isAway(): boolean {
    return this.away;
  }

  /** Whether the caller may query the database. During an outage, only one caller per second may do so. */
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
      this.logger.log('The database responds again; the current revisions are served.');
    }
  }

  failed(error: unknown): void {
    this.retryAt = performance.now() + RETRY_MS;
    if (!this.away) {
      this.away = true;
      this.logger.warn(
        `The database does not respond (${errorMessage(error)}). The last known revisions are served.`,
      );
    }
  }
}

/** Counts the delivery requests that were answered with the database and without it. */
@Injectable()
export class DeliveryCounters {
  /** Requests that were answered from the last known revision. */
  readonly stale: Counter;
  /** Decisions whose exposures could not be recorded. */
  readonly unrecorded: Counter;
  /** Lookups of live revisions that were answered from memory. */
  readonly hits: Counter;
  /** Lookups that queried the database. */
  readonly misses: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.stale = new Counter({
      name: 'gosset_delivery_stale_total',
      help: 'Requests answered from the last known revision while the database was unavailable',
      registers,
    });
    this.unrecorded = new Counter({
      name: 'gosset_decisions_unrecorded_total',
      help: 'Decisions whose exposures were not recorded',
      registers,
    });
    this.hits = new Counter({
      name: 'gosset_delivery_cache_hits_total',
      help: 'Lookups of live revisions that were answered from memory',
      registers,
    });
    this.misses = new Counter({
      name: 'gosset_delivery_cache_misses_total',
      help: 'Lookups of live revisions that queried the database; a project in use causes at least one per second',
      registers,
    });
  }
}
