import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FreshnessModule } from '../freshness/freshness.module';
import { RouteAudit } from './route-audit';
import { ScopeResolver } from './scope-resolver';

@Module({
  imports: [DiscoveryModule, FreshnessModule],
  providers: [ScopeResolver, RouteAudit],
  exports: [ScopeResolver],
})
export class AccessModule {}
