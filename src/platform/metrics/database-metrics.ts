import { Injectable, type LoggerService } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { OutageLog, OutageTexts } from '../../common/errors/failure-log';
import { errorMessage } from '../../common/logging/logged-error';
import { Database } from '../../database/database';

/** One series of a gauge, with its labels. */
export interface GaugeValue {
  labels?: Record<string, string>;
  value: number;
}

export interface DatabaseGauge {
  name: string;
  help: string;
  labelNames?: string[];
  outage: OutageTexts;
  /** Reads the gauge's values. It must have a timeout, because metrics are still needed when the database fails. */
  read: () => Promise<GaugeValue[]>;
}

/**
 * Adds a gauge whose values are read from the database at each scrape. During an outage, the gauge has no values, while
 * metrics that do not need the database are still reported.
 */
export function addDatabaseGauge(
  registry: Registry,
  logger: Pick<LoggerService, 'error' | 'log'>,
  { name, help, labelNames = [], outage, read }: DatabaseGauge,
): void {
  const log = new OutageLog(logger, outage);
  const remove = (gauge: Gauge): void => {
    gauge.reset();
    if (labelNames.length === 0) {
      gauge.remove(); // `reset` would leave a 0
    }
  };
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      try {
        const values = await read();
        values.forEach(({ labels = {}, value }) => this.set(labels, value));
        log.worked();
      } catch (error) {
        remove(this);
        log.failed(errorMessage(error));
      }
    },
  });
}

/** Metrics of this process's database connections. */
@Injectable()
export class DatabaseMetrics {
  constructor(registry: Registry, database: Database) {
    const registers = [registry];
    new Gauge({
      name: 'gosset_database_connections',
      help: 'Open database connections, by pool and state',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const { pool, busy, idle } of database.loads()) {
          this.set({ pool, state: 'busy' }, busy);
          this.set({ pool, state: 'idle' }, idle);
        }
      },
    });
    new Gauge({
      name: 'gosset_database_waiting',
      help: 'Operations waiting for a database connection or for their turn, by pool',
      labelNames: ['pool'],
      registers,
      collect() {
        database.loads().forEach(({ pool, waiting }) => this.set({ pool }, waiting));
      },
    });
  }
}
