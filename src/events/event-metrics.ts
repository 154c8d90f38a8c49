import { Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { Database } from '../database/database';
import { addDatabaseGauge } from '../platform/metrics/database-metrics';
import { countWaitingVisitors } from './dirty-visitors.store';
import type { IgnoredLink } from './links/link-request';
import type { Receipt } from './message-outcome';

/**
 * Reasons for refusing a whole request with a client key. `unavailable`: the database or ClickHouse did not store the
 * events in time, or the project's regular expressions take too long. `failed`: the server responded with 500.
 */
export type Refusal =
  'unknown_key' | 'origin' | 'too_large' | 'rate_limit' | 'queue_full' | 'unavailable' | 'failed';

/** Metrics of accepted and rejected events and links, by reason. */
@Injectable()
export class EventCounters {
  private readonly accepted: Counter;
  private readonly rejected: Counter<'reason'>;
  private readonly refused: Counter<'reason'>;
  private readonly ignoredLinks: Counter<'reason'>;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.accepted = new Counter({
      name: 'gosset_events_accepted_total',
      help: 'Events that were stored, including duplicates of events stored earlier',
      registers,
    });
    this.rejected = new Counter({
      name: 'gosset_events_rejected_total',
      help: 'Events that were not stored, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.refused = new Counter({
      name: 'gosset_events_refused_total',
      help: 'Events in refused requests with a client key, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.ignoredLinks = new Counter({
      name: 'gosset_links_ignored_total',
      help: 'Links between visitor ids that were not stored, by reason',
      labelNames: ['reason'],
      registers,
    });
  }

  /** Counts links that were not stored. */
  ignoreLinks(links: readonly IgnoredLink[]): void {
    for (const { reason } of links) {
      this.ignoredLinks.inc({ reason });
    }
  }

  /** @param size returns the number of events waiting to be stored */
  watchQueue(size: () => number): void {
    new Gauge({
      name: 'gosset_events_queued',
      help: 'Events waiting to be stored',
      registers: [this.registry],
      collect() {
        this.set(size());
      },
    });
  }

  /** @param events number of events in the refused request */
  refuse(reason: Refusal, events: number): void {
    this.refused.inc({ reason }, events);
  }

  count({ accepted, rejected }: Receipt): void {
    this.accepted.inc(accepted);
    for (const { reason } of rejected) {
      this.rejected.inc({ reason });
    }
  }
}

/** Metric: the number of visitors with events that are not attributed yet. */
@Injectable()
export class WaitingVisitors {
  constructor(registry: Registry, database: Database) {
    addDatabaseGauge(registry, new Logger(WaitingVisitors.name), {
      name: 'gosset_visitors_waiting',
      help: 'Visitors whose latest events are not yet included in results',
      outage: { failing: 'Visitors cannot be counted', working: 'Visitors can be counted again' },
      read: async () => [{ value: await countWaitingVisitors(database.delivery) }],
    });
  }
}
