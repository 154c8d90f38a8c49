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

/** How often to close idle connections while requests finish, in milliseconds. */
const CLOSE_IDLE_MS = 50;

/** A server with its open connections. */
class WatchedServer {
  private readonly connections = new Set<Socket>();

  constructor(private readonly server: FastifyInstance) {
    server.server.on('connection', (socket: Socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }

  /**
   * Stops accepting connections, ends streams, and closes each connection when its requests have finished, or after the
   * drain timeout.
   */
  drain(): void {
    const http = this.server.server;
    const closeIdle = http.closeIdleConnections.bind(http);
    // Node also calls this when it closes the server, and considers a connection idle although it is still sending a
    // response.
    http.closeIdleConnections = () => {
      // A `data` listener would move parsing to the stream API, which halves the throughput.
      [...this.connections].filter(({ bytesRead }) => bytesRead === 0).forEach((socket) => socket.destroy());
      if (![...this.connections].some(({ writableLength }) => writableLength > 0)) {
        closeIdle();
      }
    };
    setInterval(() => http.closeIdleConnections(), CLOSE_IDLE_MS).unref();
    setTimeout(() => http.closeAllConnections(), DRAIN_MS).unref();
    void this.server.close();
  }
}

/**
 * Graceful shutdown of the HTTP servers: readiness fails first, then responses close their connections, and after a
 * timeout all connections are closed.
 */
@Injectable()
export class GracefulShutdown {
  private readonly servers: WatchedServer[] = [];
  /** Set by `begin`. */
  isStopping = false;

  /** Registers a server for graceful shutdown. */
  watch(server: FastifyInstance): void {
    this.servers.push(new WatchedServer(server));
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

  /** Closes the servers. Requests in progress have until the drain timeout to finish. */
  drain(): void {
    this.servers.forEach((server) => server.drain());
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
  // Not `unref`: while a step only waits for a timer that is, Node would end the process before the database is closed.
  setTimeout(() => {
    logger.error('Gosset did not stop in time and exits now; no data was acknowledged without being stored');
    process.exit(1);
  }, DRAIN_MS + CLOSING_MS);
  try {
    await app.close();
    logger.info('Gosset stopped');
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'Gosset did not stop cleanly');
    process.exit(1);
  }
}
