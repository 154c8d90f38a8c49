import { DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { AccountModule } from './account/account.module';
import { SessionGuard } from './account/session.guard';
import { AccessGuard } from './access/access.guard';
import { AccessModule } from './access/access.module';
import { AudiencesModule } from './audiences/audiences.module';
import { AuthModule } from './auth/auth.module';
import { RateLimitGuard } from './auth/rate-limit/rate-limit.guard';
import { TokenGuard } from './auth/token.guard';
import { ErrorFilter } from './common/errors/error.filter';
import { MethodTable } from './common/http/method-table';
import { ReadableBodyInterceptor } from './common/http/readable-body.interceptor';
import { Stopping } from './common/http/stopping';
import { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { ConsoleModule } from './console/console.module';
import { Database } from './database/database';
import { DatabaseModule } from './database/database.module';
import { ShopModule } from './demo/shop/shop.module';
import { EnvironmentsModule } from './environments/environments.module';
import { AttributionModule, EventsModule } from './events/events.module';
import { ExperimentsModule } from './experiments/experiments.module';
import { ConditionalInterceptor } from './freshness/conditional.interceptor';
import { FreshnessModule } from './freshness/freshness.module';
import { GoalsModule } from './goals/goals.module';
import { HealthModule } from './health/health.module';
import { MetricsModule } from './metrics/metrics.module';
import { PagesModule } from './pages/pages.module';
import { ProjectsModule } from './projects/projects.module';
import { DecisionsModule } from './publishing/decisions/decisions.module';
import { PublishingModule } from './publishing/publishing.module';
import { ResultsModule } from './results/results.module';
import { DryRunGuard } from './retries/dry-run.guard';
import { DryRunInterceptor } from './retries/dry-run.interceptor';
import { IdempotencyInterceptor } from './retries/idempotency.interceptor';
import { RetriesModule } from './retries/retries.module';
import { RetryOptionsInterceptor } from './retries/retry-options.interceptor';
import { SharingModule } from './sharing/sharing.module';
import { TeamsModule } from './teams/teams.module';
import { TrashCollectionModule } from './trash/trash.module';
import { VariationsModule } from './variations/variations.module';

@Module({
  imports: [
    FreshnessModule,
    AccessModule,
    AuthModule,
    TeamsModule,
    ProjectsModule,
    EnvironmentsModule,
    AudiencesModule,
    PagesModule,
    GoalsModule,
    VariationsModule,
    ExperimentsModule,
    ResultsModule,
    SharingModule,
    PublishingModule,
    DecisionsModule,
    AccountModule,
    ConsoleModule,
    ShopModule,
    EventsModule,
    AttributionModule,
    RetriesModule,
    TrashCollectionModule,
    HealthModule,
    MetricsModule,
  ],
  providers: [
    MethodTable,
    Stopping,
    { provide: APP_GUARD, useClass: DryRunGuard },
    // The order of these is the order of refusals: who is it, how often, may it, has it changed, is it readable. A kept
    // answer is for whoever may, and it does not matter to it what has changed since.
    { provide: APP_GUARD, useClass: TokenGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: SessionGuard },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ConditionalInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ReadableBodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RetryOptionsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: DryRunInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
export class AppModule {
  static forRoot(config: Config, database: Database): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot(database)] };
  }
}
