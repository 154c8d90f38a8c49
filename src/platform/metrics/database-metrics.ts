import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Database } from '../../database/database';

/** Metrics of the database connections of this process. */
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
      help: 'Work that waits for a database connection, by pool',
      labelNames: ['pool'],
      registers,
      collect() {
        database.loads().forEach(({ pool, waiting }) => this.set({ pool }, waiting));
      },
    });
  }
}
