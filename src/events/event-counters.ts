import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { Receipt } from './receipt';

/** Counts what collection takes and what it refuses, by reason. */
@Injectable()
export class EventCounters {
  private readonly accepted: Counter;
  private readonly rejected: Counter<'reason'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.accepted = new Counter({
      name: 'gosset_events_accepted_total',
      help: 'Events that were stored, or had been already',
      registers,
    });
    this.rejected = new Counter({
      name: 'gosset_events_rejected_total',
      help: 'Events that were not stored, by reason',
      labelNames: ['reason'],
      registers,
    });
  }

  count({ accepted, rejected }: Receipt): void {
    this.accepted.inc(accepted);
    for (const { reason } of rejected) {
      this.rejected.inc({ reason });
    }
  }
}
