import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { OverloadedError } from '../common/errors/api-errors';

const SAMPLE_MS = 500;

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
 * @param maxDelayMs mean event loop delay in milliseconds; 0 = unlimited
 */
export async function shedLoad(server: FastifyInstance, maxDelayMs: number): Promise<void> {
  if (maxDelayMs === 0) {
    return;
  }
  let samples = 0;
  await server.register(underPressure, {
    maxEventLoopDelay: maxDelayMs,
    sampleInterval: SAMPLE_MS,
    pressureHandler: async ({ url, server: part }) => {
      if (samples >= LASTING_SAMPLES && !ALWAYS_ANSWERED.test(url) && !part.hasDecorator(NEVER_SHED)) {
        throw new OverloadedError();
      }
    },
  });
  const timer = setInterval(() => {
    samples = server.isUnderPressure() ? samples + 1 : 0;
  }, SAMPLE_MS).unref();
  server.addHook('onClose', async () => clearInterval(timer));
}
