import { DynamicModule, Module } from '@nestjs/common';
import { AccountModule } from './account/account.module';
import { AuthModule } from './platform/authentication/auth.module';
import { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { ConsoleModule } from './console/console.module';
import { Database } from './database/database';
import { DatabaseModule } from './database/database.module';
import { DefinitionModule } from './definition/definition.module';
import { ShopModule } from './demo/shop/shop.module';
import { AttributionModule, EventsModule } from './events/events.module';
import { ExperimentsModule } from './experiments/experiments.module';
import { ConditionalRequestsModule } from './platform/conditional-requests/conditional-requests';
import { GuardrailsModule } from './experiments/guardrails/guardrails.service';
import { HistoryModule } from './audit/history/history.module';
import { InstallationModule } from './projects/installation/installation.controller';
import { MetricsModule } from './platform/metrics/metrics.module';
import { PlatformModule } from './platform/platform.module';
import { PlanningModule } from './experiments/planning/planning.module';
import { ProjectsModule } from './projects/projects.module';
import { DecisionsModule } from './publishing/decisions/decisions.module';
import { PublishingModule } from './publishing/publishing.module';
import { RESOURCE_MODULES } from './resources/registry';
import { ResultsModule } from './results/results.module';
import { ResultWatchModule } from './results/watch/result-watch';
import { IdempotencyModule } from './platform/idempotency/idempotency.module';
import { SchedulesModule } from './experiments/schedules/schedules.service';
import { SharingModule } from './sharing/sharing.module';
import { TeamsModule } from './teams/teams.module';
import { TrashCollectionModule } from './projects/trash/trash.module';
import { VariationsModule } from './experiments/variations/variations.module';
import { VisitorsModule } from './visitors/visitors.controller';
import { WebhookDeliveryModule, WebhooksModule } from './webhooks/webhooks.module';

@Module({
  imports: [
    ConditionalRequestsModule,
    AuthModule,
    TeamsModule,
    ProjectsModule,
    ...RESOURCE_MODULES,
    VariationsModule,
    ExperimentsModule,
    WebhooksModule,
    WebhookDeliveryModule,
    ResultWatchModule,
    ResultsModule,
    PlanningModule,
    DefinitionModule,
    InstallationModule,
    HistoryModule,
    VisitorsModule,
    SharingModule,
    PublishingModule,
    DecisionsModule,
    AccountModule,
    ConsoleModule,
    ShopModule,
    EventsModule,
    AttributionModule,
    SchedulesModule,
    GuardrailsModule,
    IdempotencyModule,
    TrashCollectionModule,
    MetricsModule,
    PlatformModule,
  ],
})
export class AppModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)] };
  }
}
