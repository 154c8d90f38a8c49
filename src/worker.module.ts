import { DynamicModule, Module } from '@nestjs/common';
import { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { Database } from './database/database';
import { DatabaseModule } from './database/database.module';
import { AttributionModule } from './events/events.module';
import { FreshnessModule } from './freshness/freshness.module';
import { MetricsModule } from './metrics/metrics.module';

/** A process that attributes events and does nothing else. */
@Module({ imports: [FreshnessModule, MetricsModule, AttributionModule] })
export class WorkerModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return {
      module: WorkerModule,
      imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)],
    };
  }
}
