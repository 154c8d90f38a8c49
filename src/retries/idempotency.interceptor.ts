import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, Observable } from 'rxjs';
import { ApiError, ValidationError } from '../common/errors/api-errors';
import { Shown } from '../common/freshness/answers';
import { Database, Ending } from '../database/database';
import { Presenter } from '../freshness/presenter';
import { ClaimLeases } from './claim-leases';
import { demandOf, Finding, KeptAnswer } from './finding';
import { IdempotencyKeys } from './idempotency-keys';
import { isKey, keyOf, RetriedRequest } from './retry-options';

/**
 * Executes a request with an `Idempotency-Key` once, and sends the stored response to retries. The access guard has
 * checked the request before the stored response is read.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly leases: ClaimLeases,
    private readonly database: Database,
    private readonly presenter: Presenter,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<RetriedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const key = keyOf(request);
    return key === undefined || !isKey(key) || request.dryRun === 'unclear'
      ? next.handle()
      : from(this.once(key, request, reply, next));
  }

  private async once(
    key: string,
    request: RetriedRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const userId = request.actor?.userId ?? 0;
    const finding = await this.keys.claim(demandOf(userId, key, request.url, request.body));
    if (finding.found === 'answered') {
      return giveAgain(finding.answer, reply);
    }
    if (finding.found !== 'claimed') {
      throw refusalOf(finding);
    }
    const { claimId } = finding;
    return this.leases.during(claimId, () => this.work(claimId, request, reply, next));
  }

  /** Stores the response in the transaction of the work, which fails if the claim has been taken over. */
  private async work(
    claimId: number,
    request: RetriedRequest,
    { statusCode: status }: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    request.claimId = claimId;
    let isAnswered = false;
    const keeping: Ending = async (tx, result) => {
      isAnswered = result instanceof Shown;
      const holds = isAnswered
        ? await this.keys.keep(tx, claimId, { status, ...this.presenter.present(result, request) })
        : await this.keys.holds(tx, claimId);
      if (!holds) {
        throw refusalOf({ found: 'running' });
      }
      return 'commit';
    };
    const answer: unknown = await this.database.endingWith(keeping, () => lastValueFrom(next.handle()));
    if (isAnswered) {
      request.claimId = undefined;
    }
    return answer;
  }
}

/** Sends a stored response. A stored error is thrown again, because a returned value gets a success status. */
function giveAgain({ status, headers, body }: KeptAnswer, reply: FastifyReply): Buffer {
  reply.headers({ ...headers, 'idempotency-replayed': 'true' });
  if (status < 400) {
    return body;
  }
  const { message, ...extra } = JSON.parse(body.toString()) as { message: string };
  throw new ApiError(status, message, extra);
}

function refusalOf({ found }: Exclude<Finding, { found: 'claimed' | 'answered' }>): ApiError {
  return found === 'running'
    ? new ApiError(409, 'A request with this Idempotency-Key is still running.', {}, { 'retry-after': '1' })
    : new ValidationError([
        {
          path: 'Idempotency-Key',
          message: 'The Idempotency-Key has already been used with another body or path.',
        },
      ]);
}
