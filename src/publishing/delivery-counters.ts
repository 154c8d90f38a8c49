import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

/** Counts what delivery does without the database. */
@Injectable()
export class DeliveryCounters {
  /** Requests that were answered from the last known revision. */
  readonly stale: Counter;
  /** Decisions whose exposures could not be recorded. */
  readonly unrecorded: Counter;

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
  }
}
