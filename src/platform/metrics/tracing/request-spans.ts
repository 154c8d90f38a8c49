import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../../config/config';
import { currentObserver, observing } from '../../../database/statement-observer';
import { methodOf, routeOf } from '../http-metrics';
import { OtlpExporter } from './otlp-exporter';
import { type RequestSpan, RequestTrace } from './request-trace';
import { childOf, type TraceContext, traceOf, traceResponse } from './trace-context';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    trace: TraceContext | null;
  }
}

const SERVER_ERROR = 500;

/**
 * Makes a span of each request, as part of the caller's trace, and names it in the header `traceresponse`; below it are
 * spans of its database statements. Spans name routes instead of addresses, which may hold share links.
 */
export function traceRequests(server: FastifyInstance, { otlp }: Pick<Config, 'otlp'>, logger: Logger): void {
  server.decorateRequest('trace', null);
  if (otlp === null) {
    return;
  }
  const exporter = new OtlpExporter(otlp, logger);
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  server.addHook('onRequest', (request, reply, done) => {
    const context = contextOf(request);
    request.trace = context;
    reply.header('traceresponse', traceResponse(context));
    const trace = context.isSampled ? new RequestTrace(context, (span) => exporter.add(span)) : undefined;
    if (trace !== undefined) {
      traces.set(request, trace);
    }
    observing(trace, done);
  });
  // The asynchronous context of the request ends where its body is read.
  server.addHook('preValidation', (request, _, done) => observing(traces.get(request), done));
  server.addHook('onResponse', (request, reply, done) => {
    traces.get(request)?.end(spanOf(request, reply));
    done();
  });
  server.addHook('onClose', () => exporter.close());
}

/** Calls of the API inside the process, as forms make them, are below the span of their page. */
function contextOf({ headers: { traceparent } }: FastifyRequest): TraceContext {
  const caller = traceparent === undefined ? currentObserver() : undefined;
  return caller instanceof RequestTrace ? childOf(caller.context) : traceOf(traceparent);
}

function spanOf(request: FastifyRequest, { statusCode }: FastifyReply): RequestSpan {
  const [method, route] = [methodOf(request), routeOf(request)];
  return {
    name: `${method} ${route}`,
    isError: statusCode >= SERVER_ERROR,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': statusCode,
      'gosset.request_id': request.id,
    },
  };
}
