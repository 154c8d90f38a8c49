import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FreshnessModule } from '../freshness/freshness.module';
import { RouteAudit } from './route-audit';
import { ScopeResolver } from './scope-resolver';
import { ScopeStore } from './scope.store';

@Module({
  imports: [DiscoveryModule, FreshnessModule],
  providers: [ScopeResolver, ScopeStore, RouteAudit],
  exports: [RouteAudit, ScopeResolver],
})
export class AccessModule {}
