import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../common/errors/codes';

/** Time for running requests to finish during shutdown, in milliseconds. */
export const DRAIN_MS = 10_000;

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

  /** Responds to readiness checks while the server stops. @returns whether the request was one */
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
   * Closes the connections that have not sent anything, and all others after the drain timeout. The caller also closes
   * the servers.
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
