import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Config } from '../../config/config';
import { OpeningError } from '../../database/errors';
import { addDatabaseGauge } from '../../platform/metrics/database-metrics';
import { EventsMovingError, UnusableEventLogError } from '../event-log';
import { ClickHouseError } from './clickhouse';
import { ClickHouseTable } from './clickhouse-table';
import { STORED } from './event-batch.entity';
import { EventBatches } from './event-batches.store';

/** Prevents the server from starting if events that are stored elsewhere would be missing from results. */
@Injectable()
export class EventLogCheck implements OnModuleInit {
  private readonly logger = new Logger(EventLogCheck.name);

  constructor(
    private readonly config: Config,
    private readonly table: ClickHouseTable,
    private readonly batches: EventBatches,
    private readonly registry: Registry,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.config.eventsUrl === null) {
      await this.requireNoBatches();
      return;
    }
    this.addMetric();
    try {
      await this.table.ready();
    } catch (error) {
      if (error instanceof EventsMovingError) {
        this.logger.warn(error.message);
        return;
      }
      if (!(error instanceof ClickHouseError)) {
        throw error instanceof UnusableEventLogError ? new OpeningError(error.message) : error;
      }
      if (error.isRefusal) {
        throw new OpeningError(`EVENTS_URL cannot be used. ${error.message}`);
      }
      this.logger.warn(`${error.message}. Collection returns 503 until it is available.`);
    }
  }

  private addMetric(): void {
    addDatabaseGauge(this.registry, this.logger, {
      name: 'gosset_events_waiting',
      help: 'Events stored in ClickHouse that are not yet included in results',
      outage: { failing: 'Events cannot be counted', working: 'Events can be counted again' },
      read: async () => {
        const waiting = await this.batches.countWaiting();
        return [{ value: waiting.find(({ state }) => state === STORED)?.events ?? 0 }];
      },
    });
  }

  private async requireNoBatches(): Promise<void> {
    if ((await this.batches.lastBatch()) > 0) {
      throw new OpeningError(
        'The events of this database are in ClickHouse, but EVENTS_URL is not set. Set it, because results would be incomplete.',
      );
    }
  }
}
