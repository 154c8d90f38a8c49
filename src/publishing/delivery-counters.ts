import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Counts what delivery does without the database, and how often it needs it. */
@Injectable()
export class DeliveryCounters {
  /** Requests that were answered from the last known revision. */
  readonly stale: Counter;
  /** Decisions whose exposures could not be recorded. */
  readonly unrecorded: Counter;
  /** Look-ups of live revisions that memory answered. */
  readonly hits: Counter;
  /** Look-ups that asked the database. */
  readonly misses: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.stale = new Counter({
      name: 'gosset_delivery_stale_total',
      help: 'Requests answered from the last known revision while the database was away',
      registers,
    });
    this.unrecorded = new Counter({
      name: 'gosset_decisions_unrecorded_total',
      help: 'Decisions whose exposures were not recorded while the database was away',
      registers,
    });
    this.hits = new Counter({
      name: 'gosset_delivery_cache_hits_total',
      help: 'Look-ups of live revisions that were answered from memory',
      registers,
    });
    this.misses = new Counter({
      name: 'gosset_delivery_cache_misses_total',
      help: 'Look-ups of live revisions that asked the database, at least one a second for a project in use',
      registers,
    });
  }
}
