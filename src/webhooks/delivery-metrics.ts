import { Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { DeliveryStore } from './delivery.store';

const OUTCOMES = ['delivered', 'failed', 'dead'] as const;

/** Metrics of webhooks. */
@Injectable()
export class DeliveryMetrics {
  private readonly logger = new Logger(DeliveryMetrics.name);
  private readonly tries: Counter;
  private readonly backlog: Gauge;

  constructor(
    registry: Registry,
    private readonly store: DeliveryStore,
  ) {
    this.tries = new Counter({
      name: 'gosset_webhook_tries_total',
      help: 'Requests of this process to webhooks, by outcome: delivered, failed (to be retried) or dead (the last attempt)',
      labelNames: ['outcome'],
      registers: [registry],
    });
    OUTCOMES.forEach((outcome) => this.tries.inc({ outcome }, 0));
    this.backlog = new Gauge({
      name: 'gosset_webhook_deliveries',
      help: 'Webhook deliveries that are pending or dead',
      labelNames: ['status'],
      registers: [registry],
      collect: () => this.collect(),
    });
  }

  count(outcome: (typeof OUTCOMES)[number]): void {
    this.tries.inc({ outcome });
  }

  /** The other metrics do not need the database and are reported without it. */
  private async collect(): Promise<void> {
    try {
      const { pending, dead } = await this.store.backlog();
      this.backlog.set({ status: 'pending' }, pending);
      this.backlog.set({ status: 'dead' }, dead);
    } catch (error) {
      this.backlog.remove({ status: 'pending' });
      this.backlog.remove({ status: 'dead' });
      this.logger.warn({ err: error }, 'Webhook deliveries cannot be counted');
    }
  }
}
