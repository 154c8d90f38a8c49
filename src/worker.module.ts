import { DynamicModule, Module } from '@nestjs/common';
import { GracefulShutdown } from './platform/graceful-shutdown';
import { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { Database } from './database/database';
import { DatabaseModule } from './database/database.module';
import { AttributionModule } from './events/events.module';
import { ConditionalRequestsModule } from './platform/conditional-requests/conditional-requests';
import { ExperimentsModule } from './experiments/experiments.module';
import { GuardrailsModule } from './experiments/guardrails/guardrails.service';
import { MetricsModule } from './platform/metrics/metrics.module';
import { PublishingModule } from './publishing/publishing.module';
import { RESOURCE_MODULES } from './resources/registry';
import { SchedulesModule } from './experiments/schedules/schedules.service';
import { ResultWatchModule } from './results/watch/result-watch';
import { WebhookDeliveryModule } from './webhooks/webhooks.module';

/** The worker process: attribution, schedules (including the publications they cause) and webhook delivery. */
@Module({
  imports: [
    ConditionalRequestsModule,
    MetricsModule,
    ...RESOURCE_MODULES,
    ExperimentsModule,
    PublishingModule,
    AttributionModule,
    GuardrailsModule,
    SchedulesModule,
    WebhookDeliveryModule,
    ResultWatchModule,
  ],
  providers: [GracefulShutdown],
})
export class WorkerModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return {
      module: WorkerModule,
      imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)],
    };
  }
}
