import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TerminusModule } from '@nestjs/terminus';
import { RouteAudit } from './access/route-audit';
import { ScopeResolver } from './access/scope-resolver';
import { ScopeStore } from './access/scope.store';
import { AccountModule } from '../account/account.module';
import { AuthModule } from './authentication/auth.module';
import { RouteTable } from '../common/http/route-table';
import { EventsModule } from '../events/events.module';
import { DecisionsModule } from '../publishing/decisions/decisions.module';
import { PublishingModule } from '../publishing/publishing.module';
import { DatabaseProbe, HealthController } from './health/health.controller';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { CONTROLLER_STEPS } from './controller-steps';
import { DeliveryRoutes } from './delivery-routes';
import { GracefulShutdown } from './graceful-shutdown';
import { Pipeline } from './pipeline';

/** The request pipeline and the health checks. */
@Module({
  imports: [
    AccountModule,
    AuthModule,
    DecisionsModule,
    DiscoveryModule,
    EventsModule,
    IdempotencyModule,
    PublishingModule,
    TerminusModule.forRoot({ logger: false }),
  ],
  controllers: [HealthController],
  providers: [
    DatabaseProbe,
    RouteAudit,
    RouteTable,
    ScopeResolver,
    ScopeStore,
    GracefulShutdown,
    DeliveryRoutes,
    Pipeline,
    ...CONTROLLER_STEPS,
  ],
})
export class PlatformModule {}
