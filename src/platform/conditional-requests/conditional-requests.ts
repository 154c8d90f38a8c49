import type { Readable } from 'node:stream';
import { CallHandler, ExecutionContext, Global, Injectable, Module, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, map, Observable } from 'rxjs';
import type { ResolvedRequest } from '../access/scope-resolver';
import { PreconditionFailedError } from '../../common/errors/api-errors';
import {
  Computed,
  Created,
  Download,
  Listed,
  Rehearsed,
  Shown,
  Streamed,
  Untagged,
} from '../../common/http/answers';
import { matchesTag, Tags } from '../../common/http/etag';
import { linkHeader } from '../../common/lists/pagination';
import { Config } from '../../config/config';
import { VERSION } from '../../config/version';
import { type ReadyAnswer, ReadyAnswers, SharedReads } from './shared-reads';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers and body of a response. */
export interface Presented {
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** Converts return values of handlers to headers and bytes. */
@Injectable()
export class Presenter {
  constructor(
    private readonly tags: Tags,
    private readonly config: Config,
  ) {}

  present(answer: unknown, request: ResolvedRequest): Presented {
    const text = answer instanceof Download ? answer.text : JSON.stringify(valueOf(answer));
    const headers = this.headersOf(answer, request);
    const body = Buffer.from(text);
    if (answer instanceof Listed) {
      headers.etag ??= this.tags.content(headers['x-total-count'] ?? '', headers.link ?? '', body);
    }
    return { headers, body };
  }

  /** The ETag of a nested list, such as an experiment's variations, which changes with the parent record. */
  private listTag(request: ResolvedRequest): string {
    const { scope } = request;
    const isBelowRecord = scope !== undefined && 'items' in scope && Object.keys(scope.items).length > 0;
    return isBelowRecord
      ? this.tags.list(`below-${scope.target.id}`, scope.target.version)
      : this.freshTag(request);
  }

  /** The ETag of a response, which changes with everything that the response depends on. */
  private freshTag({ freshness }: ResolvedRequest): string {
    return this.tags.list(freshness?.space ?? '', freshness?.version ?? 0);
  }

  private headersOf(answer: unknown, request: ResolvedRequest): Record<string, string> {
    const headers: Record<string, string> = { 'content-type': JSON_TYPE };
    if (answer instanceof Listed) {
      if (request.freshness !== undefined) {
        headers.etag = this.listTag(request);
      }
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
      const { id, version } = answer as Shown<object, number | string>;
      headers.etag = this.tags.record(id, version);
    }
    if (answer instanceof Created) {
      const path = answer.path ?? `${collectionPath(request)}/${answer.id}`;
      headers.location = `${this.config.publicUrl}${path}`;
    }
    return headers;
  }
}

/** The body of a response. */
function valueOf(answer: unknown): unknown {
  if (answer instanceof Listed) {
    return answer.rows;
  }
  if (answer instanceof Computed || answer instanceof Rehearsed || answer instanceof Untagged) {
    return answer.value;
  }
  return answer instanceof Shown ? answer.record : answer;
}

/** The list path of a new record: the request's own path, or `...` for `.../{id}/clone`. */
function collectionPath(request: ResolvedRequest): string {
  const [path = ''] = request.url.split('?');
  return path.replace(/\/\d+\/clone\/?$/, '').replace(/\/$/, '');
}

/**
 * Handles conditional requests for all routes. Reads get their ETag here, and are served from the cache while nothing
 * has changed. Writes are rejected if `If-Match` names a different version. Writers check the version again under their
 * lock. The only purpose of the check here is to let the 412 take precedence over the handler's errors.
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  constructor(
    private readonly reads: SharedReads,
    private readonly tags: Tags,
    private readonly presenter: Presenter,
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
   * All statements of a response see the same database state. A write may have changed the records in the path since
   * they were looked up, so they are looked up again.
   */
  private async read(
    request: ResolvedRequest,
    next: CallHandler,
    reply: FastifyReply,
  ): Promise<Buffer | Readable | undefined> {
    const { freshness, url } = request;
    if (freshness === undefined) {
      return this.present(await lastValueFrom(next.handle()), request, reply);
    }
    const read = () => this.readAnswer(request, next);
    const lookAgain = async () => {
      await request.resolve?.();
      return request.ready ?? null;
    };
    const answer = await this.reads.read({ freshness, url, read, lookAgain });
    return answer === null ? undefined : sendReady(answer, reply);
  }

  /** The response; null if the handler returns nothing. */
  private async readAnswer(request: ResolvedRequest, next: CallHandler): Promise<ReadyAnswer | null> {
    const answer: unknown = await lastValueFrom(next.handle());
    return answer === undefined
      ? null
      : { version: request.freshness?.version ?? '', ...this.presenter.present(answer, request) };
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

  /** Sets the headers for a handler's return value and returns its bytes. */
  private present(
    answer: unknown,
    request: ResolvedRequest,
    reply: FastifyReply,
  ): Buffer | Readable | undefined {
    if (answer === undefined) {
      return undefined;
    }
    if (answer instanceof Streamed) {
      reply.header('content-type', answer.contentType);
      return answer.stream;
    }
    const { headers, body } = this.presenter.present(answer, request);
    reply.headers({ ...headers });
    return body;
  }
}

function sendReady({ headers, body }: ReadyAnswer, reply: FastifyReply): Buffer {
  reply.headers({ ...headers });
  return body;
}

function isRead(request: ResolvedRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

@Global()
@Module({
  providers: [
    Presenter,
    SharedReads,
    { provide: ReadyAnswers, useFactory: () => new ReadyAnswers() },
    {
      provide: Tags,
      useFactory: ({ publicUrl, sessionSecret }: Config) => new Tags(VERSION, publicUrl, sessionSecret ?? ''),
      inject: [Config],
    },
  ],
  exports: [ReadyAnswers, SharedReads, Tags, Presenter],
})
export class ConditionalRequestsModule {}
