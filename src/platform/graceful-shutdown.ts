import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type INestApplicationContext, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ErrorCode } from '../common/errors/codes';

/** Time for running requests to finish during shutdown, in milliseconds. */
const DRAIN_MS = 10_000;

const READINESS = /^\/health\/ready\/?(?:\?|$)/;
const DOWN = { server: { status: 'down', reason: 'The server is stopping.' } };
const NOT_READY = {
  message: 'Service Unavailable',
  code: 'UNAVAILABLE' satisfies ErrorCode,
  status: 'error',
  info: {},
  error: DOWN,
  details: DOWN,
};

/**
 * Graceful shutdown of the HTTP servers: readiness fails first, then responses close their connections, and after a
 * timeout all connections are closed.
 */
@Injectable()
export class GracefulShutdown {
  private readonly servers = new Set<Server>();
  private readonly connections = new Set<Socket>();
  /** Set by `begin`. */
  isStopping = false;

  /** Registers a server for graceful shutdown. */
  watch(server: FastifyInstance): void {
    this.servers.add(server.server);
    server.server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }

  /** Responds to readiness checks while the server is stopping. @returns whether the request was a readiness check */
  failReadiness({ url }: FastifyRequest, reply: FastifyReply): boolean {
    const isCheck = READINESS.test(url);
    if (isCheck) {
      void reply.code(503).header('retry-after', '5').send(NOT_READY);
    }
    return isCheck;
  }

  /** Fails readiness and closes each connection after its next response. Requests are still served. */
  begin(): void {
    this.isStopping = true;
  }

  /**
   * Closes connections that have not sent anything, and all remaining connections after the drain timeout. The caller
   * must close the servers.
   */
  drain(): void {
    this.begin();
    // A `data` listener would move parsing to the stream API, which halves the throughput.
    [...this.connections].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
    setTimeout(() => {
      this.servers.forEach((server) => server.closeAllConnections());
    }, DRAIN_MS).unref();
  }
}

/**
 * Time in milliseconds for the last shutdown steps, after all connections are closed: the worker's step, then the
 * database.
 */
const CLOSING_MS = 5_000;

/**
 * Milliseconds within which a repeated signal counts as the same one, because `npm` forwards a signal that the terminal
 * has already sent to this process.
 */
const SAME_SIGNAL_MS = 500;

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type StopSignal = keyof typeof EXIT_CODES;

/**
 * Graceful shutdown on SIGTERM, SIGINT (Ctrl-C) and SIGHUP. Readiness fails first. After `graceSeconds` (SIGTERM only,
 * for load balancers), no new connections are accepted, and running requests and the worker's step finish. The database
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
    logger.error('Gosset did not stop in time and exits now; no data was acknowledged without being stored');
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
