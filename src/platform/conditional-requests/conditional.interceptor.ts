import type { Readable } from 'node:stream';
import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, map, Observable } from 'rxjs';
import type { ResolvedRequest } from '../access/scope-resolver';
import { PreconditionFailedError } from '../../common/errors/api-errors';
import { Streamed } from '../../common/http/answers';
import { type ReadyAnswer, SharedReads } from './shared-reads';
import { matchesTag, Tags } from '../../common/http/etag';
import { Presenter } from './presenter';

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
