import { Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Database } from '../database/database';
import { countWaitingVisitors } from './dirty-visitors.store';

/** Metric: the number of visitors with events that are not attributed yet. */
@Injectable()
export class WaitingVisitors {
  private readonly logger = new Logger(WaitingVisitors.name);
  private readonly gauge: Gauge;

  constructor(
    registry: Registry,
    private readonly database: Database,
  ) {
    this.gauge = new Gauge({
      name: 'gosset_visitors_waiting',
      help: 'Visitors whose last events are not part of results yet',
      registers: [registry],
      collect: () => this.collect(),
    });
  }

  /** The other metrics do not need the database and are reported without it. */
  private async collect(): Promise<void> {
    this.gauge.remove();
    try {
      // Metrics are needed when the database fails, so this query has a timeout.
      this.gauge.set(await countWaitingVisitors(this.database.delivery));
    } catch (error) {
      this.logger.warn({ err: error }, 'Visitors cannot be counted');
    }
  }
}
