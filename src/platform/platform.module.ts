import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module';
import { AccountModule } from '../account/account.module';
import { AuthModule } from '../auth/auth.module';
import { RouteTable } from '../common/http/route-table';
import { EventsModule } from '../events/events.module';
import { DecisionsModule } from '../publishing/decisions/decisions.module';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { CONTROLLER_STEPS } from './controller-steps';
import { DeliveryRoutes } from './delivery-routes';
import { GracefulShutdown } from './graceful-shutdown';
import { Pipeline } from './pipeline';

/** The request pipeline. */
@Module({
  imports: [AccessModule, AccountModule, AuthModule, DecisionsModule, EventsModule, IdempotencyModule],
  providers: [RouteTable, GracefulShutdown, DeliveryRoutes, Pipeline, ...CONTROLLER_STEPS],
})
export class PlatformModule {}
