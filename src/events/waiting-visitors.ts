import { Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Database } from '../database/database';

/** Tells operators how many visitors' events are not part of the results yet. */
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

  /** The other figures are told without the database, too. */
  private async collect(): Promise<void> {
    this.gauge.remove();
    try {
      const [row]: { count: number | string }[] = await this.database.read.query(
        'SELECT COUNT(*) AS count FROM dirty_visitors',
      );
      this.gauge.set(Number(row?.count));
    } catch (error) {
      this.logger.warn({ err: error }, 'Visitors cannot be counted');
    }
  }
}
