import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import { DRAIN_MS, GracefulShutdown } from './graceful-shutdown';

/** The last shutdown steps after all connections are closed: the worker's step, then the database. */
const CLOSING_MS = 5_000;

/** `npm` forwards a signal that the terminal has already sent to this process. */
const SAME_SIGNAL_MS = 500;

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type StopSignal = keyof typeof EXIT_CODES;

/**
 * Graceful shutdown on SIGTERM, SIGINT (Ctrl-C) and SIGHUP: readiness fails, after `graceSeconds` (SIGTERM only, for
 * load balancers) no new connections are accepted, running requests and the worker's step finish, and the database
 * closes last. A second signal exits immediately.
 */
export function stopOnSignals(app: INestApplicationContext, logger: Logger, graceSeconds: number): void {
  let firstAt: number | undefined;
  const onSignal = (signal: StopSignal): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      void stop(app, logger, signal === 'SIGTERM' ? graceSeconds : 0);
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      process.exit(EXIT_CODES[signal]);
    }
  };
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) {
    process.on(signal, onSignal);
  }
}

async function stop(app: INestApplicationContext, logger: Logger, graceSeconds: number): Promise<void> {
  const shutdown = app.get(GracefulShutdown);
  shutdown.begin();
  logger.info('Gosset stops');
  if (graceSeconds > 0) {
    await sleep(graceSeconds * 1000);
  }
  shutdown.drain();
  setTimeout(() => {
    logger.error(
      'Gosset did not stop in time and exits; data that was not stored was not acknowledged either',
    );
    process.exit(1);
  }, DRAIN_MS + CLOSING_MS).unref();
  try {
    await app.close();
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'Gosset did not stop cleanly');
    process.exit(1);
  }
}
