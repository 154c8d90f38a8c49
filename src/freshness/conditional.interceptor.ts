import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, map, Observable } from 'rxjs';
import type { ResolvedRequest } from '../access/scope-resolver';
import { PreconditionFailedError } from '../common/errors/api-errors';
import { ReadyAnswer, ReadyAnswers } from '../common/freshness/ready-answers';
import { matchesTag, Tags } from '../common/freshness/tags';
import { Presenter } from './presenter';

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

  /** Sets the headers of what a handler returned, and gives its bytes. */
  private present(answer: unknown, request: ResolvedRequest, reply: FastifyReply): Buffer | undefined {
    if (answer === undefined) {
      return undefined;
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
