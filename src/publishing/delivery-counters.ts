import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Counts requests of delivery with and without the database. */
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
      help: 'Lookups of live revisions that queried the database, at least one per second for a project in use',
      registers,
    });
  }
}
