import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { DatabaseMetrics } from './database-metrics';
import { HttpMetrics } from './http-metrics';
import { MetricsController } from './metrics.controller';

/**
 * Metrics to remove. The package exports these sums over labels as gauges, although only the names of counters should
 * end in `_total`.
 */
const SUMS = ['handles', 'requests', 'resources'].map((name) => `nodejs_active_${name}_total`);

function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  SUMS.forEach((name) => registry.removeSingleMetric(name));
  return registry;
}

/** Prometheus metrics; each module adds its own to the registry. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [{ provide: Registry, useFactory: createRegistry }, HttpMetrics, DatabaseMetrics],
  exports: [Registry, HttpMetrics],
})
export class MetricsModule {}
