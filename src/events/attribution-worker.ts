import { Injectable, Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { BackgroundWorker } from '../common/background-worker';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { addDatabaseGauge } from '../platform/metrics/database-metrics';
import { Attribution, Visitor } from './attribution-steps';
import { countWaitingVisitors } from './dirty-visitors.store';
import { EventsMovingError } from './event-log';
import { RebuildService } from './rebuild.service';

/** Metric: the number of visitors with events that are not attributed yet. */
@Injectable()
export class WaitingVisitors {
  constructor(registry: Registry, database: Database) {
    addDatabaseGauge(registry, new Logger(WaitingVisitors.name), {
      name: 'gosset_visitors_waiting',
      help: 'Visitors whose last events are not part of results yet',
      outage: { failing: 'Visitors cannot be counted', working: 'Visitors can be counted again' },
      read: async () => [{ value: await countWaitingVisitors(database.delivery) }],
    });
  }
}

/** Pause while events move to ClickHouse. */
const PAUSE_MS = 1_000;

/** Attributes new events and applies changes of the counting rules. */
@Injectable()
export class AttributionWorker extends BackgroundWorker {
  private after: Visitor | null = null;

  constructor(
    config: Config,
    private readonly attribution: Attribution,
    private readonly rebuilds: RebuildService,
  ) {
    super(config, 'Attribution failed and will be tried again');
  }

  protected async step(): Promise<number> {
    try {
      return await this.attribute();
    } catch (error) {
      if (error instanceof EventsMovingError) {
        return PAUSE_MS;
      }
      throw error;
    }
  }

  private async attribute(): Promise<number> {
    this.after = await this.attribution.step(this.after);
    const isBehind = await this.rebuilds.follow();
    return this.after === null && !isBehind ? this.attribution.restMs : 0;
  }
}
