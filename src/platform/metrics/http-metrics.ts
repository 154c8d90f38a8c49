import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { onRequestEnd } from '../../common/http/request-end';
import { Gauge, Histogram, Registry } from 'prom-client';

/** Upper bounds of the histogram buckets, in seconds. Each series exports one line per bound. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];

/** The route label for unmatched requests. Clients can invent paths, so paths must not become labels. */
const UNMATCHED = 'unmatched';
/** The status label if the client closed the connection before it had the response. */
const ABORTED = 'aborted';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The request method; `other` if the server does not know it. */
export const methodOf = ({ method }: FastifyRequest): string => (METHODS.has(method) ? method : 'other');

/** The pattern of a request's route, such as `/api/projects/:project`. */
export const routeOf = ({ is404, routeOptions }: FastifyRequest): string =>
  is404 ? UNMATCHED : (routeOptions.url ?? UNMATCHED);

/** Metrics of requests by route, method and status, and of connections. */
@Injectable()
export class HttpMetrics {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor(private readonly registry: Registry) {
    this.durations = new Histogram({
      name: 'gosset_http_request_duration_seconds',
      help: 'Time until the response was sent, by route, method and status',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers: [registry],
    });
  }

  /** Measures all requests to a server. */
  watch(server: FastifyInstance): void {
    onRequestEnd(server, (request, reply, { isAborted }) => {
      if (!isStream(reply)) {
        const status = isAborted ? ABORTED : String(reply.statusCode);
        const labels = { method: methodOf(request), route: routeOf(request), status };
        this.durations.observe(labels, reply.elapsedTime / 1_000);
      }
    });
    new Gauge({
      name: 'gosset_http_connections',
      help: 'Open client connections',
      registers: [this.registry],
      async collect() {
        this.set(await connectionsOf(server));
      },
    });
  }
}

/** Streams last until their clients disconnect. */
const isStream = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream');

const connectionsOf = ({ server }: FastifyInstance): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
