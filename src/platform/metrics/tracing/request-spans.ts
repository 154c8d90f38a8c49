import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { onRequestEnd, type RequestEnd } from '../../../common/http/request-end';
import { nowMicros } from '../../../common/time/clock';
import type { Config } from '../../../config/config';
import {
  currentObserver,
  observing,
  type StatementEnd,
  type StatementObserver,
  type StatementSource,
} from '../../../database/statement-observer';
import { methodOf, routeOf } from '../http-metrics';
import { OtlpExporter, type Span } from './otlp-exporter';
import { childOf, type TraceContext, traceOf, traceResponse } from './trace-context';

/**
 * Maximum number of statement spans per request. A request with more statements, such as an import, records only the
 * first ones.
 */
const MAX_STATEMENTS = 100;

/** The attributes of a request's span. */
type RequestSpan = Pick<Span, 'name' | 'isError' | 'attributes'>;

/**
 * The trace of one request, starting now. Database statements become child spans of the request's span, according to
 * the semantic conventions for databases. Parameters, literals and error messages (which quote values) are not sent.
 */
export class RequestTrace implements StatementObserver {
  private readonly startedAt = nowMicros();
  private statements = 0;
  private isEnded = false;

  constructor(
    readonly context: TraceContext,
    private readonly send: (span: Span) => void,
  ) {}

  begin(sql: string, source: StatementSource): StatementEnd | null {
    if (this.isEnded || this.statements === MAX_STATEMENTS) {
      return null;
    }
    this.statements += 1;
    const startedAt = nowMicros();
    return (errorCode) => {
      // Skips statements that finish after the response: no request waits for them, and their spans would outlast the
      // request's span.
      if (!this.isEnded) {
        this.send(this.statementSpan(sql, source, startedAt, errorCode));
      }
    };
  }

  /** Sends the span of the request. The span does not include work after the response. */
  end(span: RequestSpan): void {
    this.isEnded = true;
    this.send({ ...this.context, kind: 'server', startedAt: this.startedAt, endedAt: nowMicros(), ...span });
  }

  private statementSpan(
    sql: string,
    { system, server }: StatementSource,
    startedAt: number,
    errorCode: string | null,
  ): Span {
    const { summary, text } = statementText(sql, system);
    return {
      ...childOf(this.context),
      kind: 'client',
      name: summary,
      startedAt,
      endedAt: nowMicros(),
      isError: errorCode !== null,
      attributes: {
        'db.system.name': system,
        ...(server !== null && {
          'db.namespace': server.database,
          'server.address': server.host,
          'server.port': server.port,
        }),
        'db.query.summary': summary,
        'db.query.text': text,
        ...(errorCode !== null && { 'db.response.status_code': errorCode, 'error.type': errorCode }),
      },
    };
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if `OTEL_EXPORTER_OTLP_ENDPOINT` is not set. */
    trace: TraceContext | null;
  }
}

const SERVER_ERROR = 500;

/**
 * Creates a span for each request as part of the caller's trace, with child spans for its database statements. The
 * response header `traceresponse` identifies the request's span. Spans contain routes instead of URLs, because URLs may
 * contain share links.
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
  // The asynchronous context of the request ends where the body is read, so observation starts again afterwards.
  server.addHook('preValidation', (request, _, done) => observing(traces.get(request), done));
  onRequestEnd(server, (request, _reply, { status }) => traces.get(request)?.end(spanOf(request, status)));
  server.addHook('onClose', () => exporter.close());
}

/** API calls inside the process, such as those made by forms, become child spans of the page's span. */
function contextOf({ headers: { traceparent } }: FastifyRequest): TraceContext {
  const caller = traceparent === undefined ? currentObserver() : undefined;
  return caller instanceof RequestTrace ? childOf(caller.context) : traceOf(traceparent);
}

function spanOf(request: FastifyRequest, status: RequestEnd['status']): RequestSpan {
  const [method, route] = [methodOf(request), routeOf(request)];
  return {
    name: `${method} ${route}`,
    isError: status !== null && status >= SERVER_ERROR,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      ...(status !== null && { 'http.response.status_code': status }),
      'gosset.request_id': request.id,
    },
  };
}

/** A statement as shown in traces, without values. */
export interface StatementText {
  /** The operations and tables, such as `INSERT events`. There are only a few distinct summaries. */
  summary: string;
  /** The statement with `?` instead of every literal. */
  text: string;
}

type System = StatementSource['system'];

/**
 * Maximum length of a statement in characters. Bulk inserts repeat their placeholders, so the beginning is sufficient.
 */
const MAX_TEXT = 4_000;
/** Maximum length of a summary in characters, as defined by the semantic conventions. */
const MAX_SUMMARY = 255;
const CACHED = 1_000;

const STRINGS = /'(?:[^'\\]|''|\\.)*(?:'|$)/gs;
/** Text in double quotes, which is an identifier on SQLite. */
const QUOTED = /"(?:[^"\\]|""|\\.)*(?:"|$)/gs;
const NUMBERS = /\b(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b/gi;
const PLACEHOLDERS = /\?(?:\s*,\s*\?)+/g;
const GROUPS = /\(\?\)(?:\s*,\s*\(\?\))+/g;
/**
 * Operations, and the tables that follow them. `FOR UPDATE` and `ON DUPLICATE KEY UPDATE` are parts of other
 * operations.
 */
const PARTS =
  /(?<!\b(?:FOR|KEY|DO)\s)\b(?:(SELECT|INSERT|REPLACE(?=\s+INTO)|DELETE)\b|(UPDATE)\s+[`"]?(\w+)|(?:FROM|INTO|JOIN)\s+[`"]?(\w+))/gi;

const cache = new LRUCache<string, StatementText>({ max: CACHED });

/** Describes a statement for traces. */
export function statementText(sql: string, system: System): StatementText {
  // A statement this long is a bulk statement. The next one will be different, so caching is useless.
  if (sql.length > MAX_TEXT) {
    const { summary, text } = read(sql.slice(0, MAX_TEXT), system);
    return { summary, text: `${text}...` };
  }
  const key = `${system} ${sql}`;
  const known = cache.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = read(sql, system);
  cache.set(key, text);
  return text;
}

function read(sql: string, system: System): StatementText {
  const strings = sql.replace(STRINGS, '?');
  const literals = (system === 'sqlite' ? strings : strings.replace(QUOTED, '?')).replace(NUMBERS, '?');
  const text = literals.replace(PLACEHOLDERS, '?').replace(GROUPS, '(?)').replace(/\s+/g, ' ').trim();
  return { summary: summaryOf(text), text };
}

function summaryOf(text: string): string {
  const words: string[] = [];
  for (const [, operation, update, updated, table] of text.matchAll(PARTS)) {
    words.push(
      ...[(operation ?? update)?.toUpperCase(), updated ?? table].filter((word) => word !== undefined),
    );
  }
  const [first = ''] = text.split(/\W/, 1);
  let summary = words.shift() ?? first.toUpperCase();
  for (const word of words) {
    if (summary.length + word.length + 1 <= MAX_SUMMARY) {
      summary += ` ${word}`;
    }
  }
  return summary;
}
