import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { OverloadedError } from '../common/errors/api-errors';

const SAMPLE_MS = 500;

/** Interval of the timer whose delay is measured, in milliseconds. */
const RESOLUTION_MS = 10;

/**
 * Number of consecutive samples over the limit before load shedding starts. Rejecting requests does not help after a
 * single long task or at startup.
 */
const LASTING_SAMPLES = 2;

/** Health and metrics routes are exempt, so monitoring keeps working. */
const ALWAYS_ANSWERED = /^\/+(?:health|metrics)(?:[/?]|$)/;

const NEVER_SHED = 'neverShed';

/** Exempts the routes of a Fastify scope from load shedding, because they have their own limits. */
export function neverShed(server: FastifyInstance): void {
  server.decorate(NEVER_SHED, true);
}

/**
 * Load shedding: while the event loop delay stays high, responds with 503 before any processing. Queued requests are
 * still served. Fastify applies the hook to all scopes of a server, including scopes added earlier.
 * `@fastify/under-pressure` is not used, because it also reads the memory usage, which throws an uncaught error if there
 * is no free file descriptor.
 * @param maxDelayMs mean event loop delay in milliseconds; 0 = unlimited
 */
export function shedLoad(server: FastifyInstance, maxDelayMs: number): void {
  if (maxDelayMs === 0) {
    return;
  }
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let samples = 0;
  const timer = setInterval(() => {
    // The mean is NaN if the event loop was blocked for the whole interval.
    const isCalm = histogram.mean / 1e6 - RESOLUTION_MS <= maxDelayMs;
    histogram.reset();
    samples = isCalm ? 0 : samples + 1;
  }, SAMPLE_MS).unref();
  server.addHook('onRequest', ({ url, server: part }, _reply, done) => {
    const isShed = samples >= LASTING_SAMPLES && !ALWAYS_ANSWERED.test(url) && !part.hasDecorator(NEVER_SHED);
    done(isShed ? new OverloadedError() : undefined);
  });
  server.addHook('onClose', async () => {
    clearInterval(timer);
    histogram.disable();
  });
}
