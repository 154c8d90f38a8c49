import { nowMicros } from '../../../common/time/clock';
import type { StatementEnd, StatementObserver, StatementSource } from '../../../database/statement-observer';
import type { Span } from './otlp-exporter';
import { statementText } from './statement-text';
import { childOf, type TraceContext } from './trace-context';

/** A request with more statements, such as an import, shows the first ones. */
const MAX_STATEMENTS = 100;

/** The attributes of a request's span. */
export type RequestSpan = Pick<Span, 'name' | 'isError' | 'attributes'>;

/**
 * The trace of one request, which begins now. Its database statements become spans below the span of the request,
 * according to the semantic conventions for databases. No parameters are sent, nor literals, nor error messages, which
 * quote values.
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
      // No request waits for such a statement, and its span would end after that of the request.
      if (!this.isEnded) {
        this.send(this.statementSpan(sql, source, startedAt, errorCode));
      }
    };
  }

  /** Sends the span of the request. Work after the response is not part of it. */
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
