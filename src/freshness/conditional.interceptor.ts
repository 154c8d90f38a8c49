import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, map, Observable } from 'rxjs';
import type { ResolvedRequest } from '../access/scope-resolver';
import { PreconditionFailedError } from '../common/errors/api-errors';
import { Computed, Created, Download, Listed, Shown } from '../common/freshness/answers';
import { ReadyAnswer, ReadyAnswers } from '../common/freshness/ready-answers';
import { matchesTag, Tags } from '../common/freshness/tags';
import { linkHeader } from '../common/lists/links';
import { Config } from '../config/config';

const JSON_TYPE = 'application/json; charset=utf-8';
const KEPT_HEADERS = ['content-type', 'content-disposition', 'etag', 'link', 'x-total-count'];
const READ_ATTEMPTS = 4;

/**
 * Conditional requests for all routes: reads get their ETag here and are answered from ready bytes while nothing
 * has changed; writes are refused when `If-Match` names another version. (Writers check that again under their
 * lock; here it only has its place in the order of refusals.)
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  constructor(
    private readonly answers: ReadyAnswers,
    private readonly tags: Tags,
    private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ResolvedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (request.scope === undefined) {
      return next.handle();
    }
    if (request.ready !== undefined) {
      return from([sendReady(request.ready, reply)]);
    }
    if (isRead(request)) {
      return from(this.read(request, next, reply));
    }
    this.requireMatch(request);
    return next.handle().pipe(map((answer) => this.present(answer, request, reply)));
  }

  /**
   * An answer is read by several statements. When a write came between them it is read again from the path's ids
   * on, so that it never shows a state that did not exist. While writes keep coming an answer may be a mixture in
   * the end: its tag is then one that nothing will ever match.
   */
  private async read(
    request: ResolvedRequest,
    next: CallHandler,
    reply: FastifyReply,
  ): Promise<Buffer | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const answer: unknown = await lastValueFrom(next.handle());
      const isWhole = request.freshness?.version === (await request.freshness?.current());
      if (isWhole || attempt === READ_ATTEMPTS) {
        const body = this.present(answer, request, reply);
        if (!isWhole) {
          reply.header('etag', this.tags.once());
        } else if (body !== undefined) {
          this.keep(request, reply, body);
        }
        return body;
      }
      await request.resolve?.();
      if (request.ready !== undefined) {
        return sendReady(request.ready, reply);
      }
    }
  }

  private keep({ freshness, url }: ResolvedRequest, reply: FastifyReply, body: Buffer): void {
    if (freshness !== undefined) {
      const { space, version } = freshness;
      const headers = Object.fromEntries(
        KEPT_HEADERS.flatMap((name) =>
          reply.hasHeader(name) ? [[name, String(reply.getHeader(name))]] : [],
        ),
      );
      this.answers.keep(space, url, { version, headers, body });
    }
  }

  private requireMatch({ scope, freshness }: ResolvedRequest): void {
    if (scope?.ifMatch == null || freshness === undefined) {
      return;
    }
    const tag =
      'target' in scope
        ? this.tags.record(scope.target.id, scope.target.version)
        : this.tags.list(freshness.space, freshness.version);
    if (!matchesTag(scope.ifMatch, tag)) {
      throw new PreconditionFailedError();
    }
  }

  /** A list below a record, such as the variations of an experiment, changes when the record does. */
  private listTag(request: ResolvedRequest): string {
    const { scope } = request;
    const isBelowRecord = scope !== undefined && 'items' in scope && Object.keys(scope.items).length > 0;
    return isBelowRecord
      ? this.tags.list(`below-${scope.target.id}`, scope.target.version)
      : this.freshTag(request);
  }

  /** Changes with whatever an answer depends on. */
  private freshTag({ freshness }: ResolvedRequest): string {
    return this.tags.list(freshness?.space ?? '', freshness?.version ?? 0);
  }

  /** Turns what a handler returned into headers and bytes. */
  private present(answer: unknown, request: ResolvedRequest, reply: FastifyReply): Buffer | undefined {
    if (answer === undefined) {
      return undefined;
    }
    const headers = this.headersOf(answer, request);
    const body = Buffer.from(answer instanceof Download ? answer.text : JSON.stringify(valueOf(answer)));
    reply.headers(headers);
    return body;
  }

  private headersOf(answer: unknown, request: ResolvedRequest): Record<string, string> {
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (answer instanceof Listed) {
      headers.etag = this.listTag(request);
      headers['x-total-count'] = String(answer.total);
      const link = linkHeader(`${this.config.publicUrl}${request.url}`, answer.page, answer.total);
      return link === null ? headers : { ...headers, link };
    }
    if (answer instanceof Computed || answer instanceof Download) {
      headers.etag = this.freshTag(request);
    }
    if (answer instanceof Download) {
      headers['content-type'] = answer.contentType;
      headers['content-disposition'] = `attachment; filename="${answer.fileName}"`;
    }
    if (answer instanceof Shown) {
      headers.etag = this.tags.record(answer.id, answer.version);
    }
    if (answer instanceof Created) {
      headers.location = `${this.config.publicUrl}${collectionPath(request)}/${answer.id}`;
    }
    return headers;
  }
}

function sendReady({ headers, body }: ReadyAnswer, reply: FastifyReply): Buffer {
  reply.headers({ ...headers });
  return body;
}

function isRead(request: ResolvedRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

/** What the body shows of an answer. */
function valueOf(answer: unknown): unknown {
  if (answer instanceof Listed) {
    return answer.rows;
  }
  if (answer instanceof Computed) {
    return answer.value;
  }
  return answer instanceof Shown ? answer.record : answer;
}

/** The path of the list that a made record belongs to: the request's own, or for `.../{id}/clone` that of `...`. */
function collectionPath(request: ResolvedRequest): string {
  const [path = ''] = request.url.split('?');
  return path.replace(/\/\d+\/clone\/?$/, '').replace(/\/$/, '');
}
