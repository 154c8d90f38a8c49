import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ConditionalRequestsModule } from '../conditional-requests/conditional-requests.module';
import { RouteAudit } from './route-audit';
import { ScopeResolver } from './scope-resolver';
import { ScopeStore } from './scope.store';

@Module({
  imports: [DiscoveryModule, ConditionalRequestsModule],
  providers: [ScopeResolver, ScopeStore, RouteAudit],
  exports: [RouteAudit, ScopeResolver],
})
export class AccessModule {}
