import type { Logger } from 'pino';
import type { OtlpTarget } from '../../../config/config';
import { VERSION } from '../../../config/version';
import type { Micros } from '../../../common/time/clock';
import type { TraceContext } from './trace-context';

/*
 * Sends spans to a collector by OTLP over HTTP, as JSON. The OpenTelemetry packages are not used, because the exporter
 * and the SDK take up 37 MB, a sixth of the whole installation, and nothing else in them is needed.
 */

/** A finished request, or a finished database statement within a request. */
export interface Span extends TraceContext {
  kind: keyof typeof KINDS;
  name: string;
  startedAt: Micros;
  endedAt: Micros;
  isError: boolean;
  attributes: Readonly<Record<string, string | number>>;
}

const INTERVAL_MS = 2_000;
const BATCH = 512;
/** Maximum number of waiting spans. Further spans are dropped. */
const MAX_WAITING = 4_096;
const TIMEOUT_MS = 5_000;
/** Minimum time in milliseconds between log lines while the collector is unavailable. */
const WARN_EVERY_MS = 60_000;

const KINDS = { server: 2, client: 3 } as const;
const ERROR = 2;

const valueOf = (value: string | number): object =>
  typeof value === 'string' ? { stringValue: value } : { intValue: String(value) };

const attributesOf = (values: Readonly<Record<string, string | number>>): object[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: valueOf(value) }));

function spanBody({
  traceId,
  spanId,
  parentId,
  kind,
  name,
  startedAt,
  endedAt,
  isError,
  attributes,
}: Span): object {
  return {
    ...{ traceId, spanId, name, kind: KINDS[kind] },
    ...(parentId !== null && { parentSpanId: parentId }),
    startTimeUnixNano: `${startedAt}000`,
    endTimeUnixNano: `${endedAt}000`,
    attributes: attributesOf(attributes),
    status: isError ? { code: ERROR } : {},
  };
}

const notSent = (spans: readonly Span[], reason: string): string =>
  `${spans.length} spans could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT: ${reason}`;

/**
 * Collects spans and sends them in batches. If the collector fails, spans can be lost, but nothing else is affected.
 */
export class OtlpExporter {
  private waiting: Span[] = [];
  private readonly timer: NodeJS.Timeout;
  private sending: Promise<void> | null = null;
  private warnedAt = -Infinity;

  constructor(
    private readonly target: OtlpTarget,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.timer = setInterval(() => void this.flush(), INTERVAL_MS).unref();
  }

  add(span: Span): void {
    if (this.waiting.length < MAX_WAITING) {
      this.waiting.push(span);
    } else {
      this.warn('Spans are dropped: the collector cannot keep up.');
    }
    if (this.waiting.length >= BATCH) {
      void this.flush();
    }
  }

  /**
   * Resolves when the waiting spans have been sent or the collector has failed to accept them. After the time limit,
   * the remaining spans are dropped and a warning is logged.
   */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const deadline = performance.now() + TIMEOUT_MS;
    await this.sending;
    while (this.waiting.length > 0 && performance.now() < deadline) {
      await this.flush();
    }
    if (this.waiting.length > 0) {
      this.logger.warn(notSent(this.waiting, 'the server is stopping'));
    }
  }

  /** Sends one batch at a time, so requests do not pile up on a slow collector. */
  private flush(): Promise<void> {
    if (this.waiting.length > 0) {
      this.sending ??= this.send(this.waiting.splice(0, BATCH)).finally(() => {
        this.sending = null;
      });
    }
    return this.sending ?? Promise.resolve();
  }

  private async send(spans: readonly Span[]): Promise<void> {
    const { endpoint, headers, serviceName } = this.target;
    const resource = attributesOf({ 'service.name': serviceName, 'service.version': VERSION });
    const scope = { name: 'gosset', version: VERSION };
    const scopeSpans = [{ scope, spans: spans.map(spanBody) }];
    try {
      const answer = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ resourceSpans: [{ resource: { attributes: resource }, scopeSpans }] }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
      });
      await answer.body?.cancel();
      if (!answer.ok) {
        this.warn(notSent(spans, `status ${answer.status}`));
      }
    } catch (error) {
      this.warn(notSent(spans, error instanceof Error ? error.message : String(error)));
    }
  }

  private warn(message: string): void {
    if (performance.now() - this.warnedAt > WARN_EVERY_MS) {
      this.warnedAt = performance.now();
      this.logger.warn(message);
    }
  }
}
