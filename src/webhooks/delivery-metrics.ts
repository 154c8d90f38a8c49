import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Config } from '../config/config';
import { addDatabaseGauge } from '../platform/metrics/database-metrics';
import { DeliveryStore } from './delivery.store';

const OUTCOMES = ['delivered', 'failed', 'dead'] as const;

/** Metrics of webhooks. */
@Injectable()
export class DeliveryMetrics {
  private readonly tries: Counter;

  constructor(registry: Registry, store: DeliveryStore, { worker }: Config) {
    this.tries = new Counter({
      name: 'gosset_webhook_tries_total',
      help: 'Webhook requests from this process, by outcome: delivered, failed (to be retried) or dead (the last attempt)',
      labelNames: ['outcome'],
      // Without a worker, this process sends nothing, and 0 would look as if no process did.
      registers: worker === 'off' ? [] : [registry],
    });
    OUTCOMES.forEach((outcome) => this.tries.inc({ outcome }, 0));
    addDatabaseGauge(registry, new Logger(DeliveryMetrics.name), {
      name: 'gosset_webhook_deliveries',
      help: 'Webhook deliveries that are pending or dead',
      labelNames: ['status'],
      outage: {
        failing: 'Webhook deliveries cannot be counted',
        working: 'Webhook deliveries can be counted again',
      },
      async read() {
        return Object.entries(await store.backlog()).map(([status, value]) => ({
          labels: { status },
          value,
        }));
      },
    });
  }

  count(outcome: (typeof OUTCOMES)[number]): void {
    this.tries.inc({ outcome });
  }
}
