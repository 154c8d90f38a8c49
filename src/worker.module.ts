import { DynamicModule, Module } from '@nestjs/common';
import { GracefulShutdown } from './platform/graceful-shutdown';
import { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { Database } from './database/database';
import { DatabaseModule } from './database/database.module';
import { AttributionModule } from './events/events.module';
import { FreshnessModule } from './freshness/freshness.module';
import { MetricsModule } from './metrics/metrics.module';

/** The worker process, which only runs attribution. */
@Module({ imports: [FreshnessModule, MetricsModule, AttributionModule], providers: [GracefulShutdown] })
export class WorkerModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return {
      module: WorkerModule,
      imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)],
    };
  }
}
