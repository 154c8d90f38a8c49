import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config/config';
import { nowMicros } from '../../common/time/clock';
import { methodOf, routeOf } from '../request-labels';
import { OtlpExporter, type Span } from './otlp-exporter';
import { type TraceContext, traceOf, traceResponse } from './trace-context';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    trace: TraceContext | null;
  }
}

const MICROS_PER_MS = 1_000;
const SERVER_ERROR = 500;

/**
 * Makes a span of each request, as part of the caller's trace, and names it in the header `traceresponse`. Spans name
 * routes instead of addresses, which may hold share links.
 */
export function traceRequests(server: FastifyInstance, { otlp }: Pick<Config, 'otlp'>, logger: Logger): void {
  server.decorateRequest('trace', null);
  if (otlp === null) {
    return;
  }
  const exporter = new OtlpExporter(otlp, logger);
  server.addHook('onRequest', (request, reply, done) => {
    request.trace = traceOf(request.headers.traceparent);
    reply.header('traceresponse', traceResponse(request.trace));
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    if (request.trace?.isSampled === true) {
      exporter.add(spanOf(request, request.trace, reply));
    }
    done();
  });
  server.addHook('onClose', () => exporter.close());
}

function spanOf(
  request: FastifyRequest,
  trace: TraceContext,
  { statusCode, elapsedTime }: FastifyReply,
): Span {
  const [method, route] = [methodOf(request), routeOf(request)];
  const endedAt = nowMicros();
  return {
    ...trace,
    name: `${method} ${route}`,
    startedAt: endedAt - Math.round(elapsedTime * MICROS_PER_MS),
    endedAt,
    isError: statusCode >= SERVER_ERROR,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': statusCode,
      'gosset.request_id': request.id,
    },
  };
}
