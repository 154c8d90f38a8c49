import { Injectable, Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Database } from '../database/database';
import { addDatabaseGauge } from '../platform/metrics/database-metrics';
import { countWaitingVisitors } from './dirty-visitors.store';

/** Metric: the number of visitors with events that are not attributed yet. */
@Injectable()
export class WaitingVisitors {
  constructor(registry: Registry, database: Database) {
    addDatabaseGauge(registry, new Logger(WaitingVisitors.name), {
      name: 'gosset_visitors_waiting',
      help: 'Visitors whose latest events are not part of results yet',
      outage: { failing: 'Visitors cannot be counted', working: 'Visitors can be counted again' },
      read: async () => [{ value: await countWaitingVisitors(database.delivery) }],
    });
  }
}
