import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, Observable } from 'rxjs';
import { ApiError, codeOfStatus, ValidationError } from '../../common/errors/api-errors';
import { ERROR_CODES, type ErrorCode } from '../../common/errors/codes';
import { keptAnswer } from '../../common/http/answers';
import { Database, Ending } from '../../database/database';
import { Presenter } from '../conditional-requests/conditional-requests';
import { ClaimLeases } from './claim-leases';
import { keyedRequest, KeyClaim, KeptAnswer } from './key-claim';
import { IdempotencyKeys } from './idempotency-keys';
import { isKey, keyOf, IdempotentRequest } from './request-options';

/**
 * Executes a request with an `Idempotency-Key` once, and sends the stored response to retries. The access guard checks
 * the request before the stored response is read.
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
    const request = context.switchToHttp().getRequest<IdempotentRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const key = keyOf(request);
    return key === undefined || !isKey(key) || request.dryRun === 'unclear'
      ? next.handle()
      : from(this.once(key, request, reply, next));
  }

  private async once(
    key: string,
    request: IdempotentRequest,
    reply: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    const userId = request.actor?.userId ?? 0;
    const claim = await this.keys.claim(keyedRequest(userId, key, request.url, request.body));
    if (claim.found === 'answered') {
      return replay(claim.answer, reply);
    }
    if (claim.found !== 'claimed') {
      throw refusalOf(claim);
    }
    const { claimId } = claim;
    return this.leases.during(claimId, () => this.work(claimId, request, reply, next));
  }

  /**
   * Stores the response in the same transaction as the work. The transaction fails if the claim has been taken over.
   */
  private async work(
    claimId: number,
    request: IdempotentRequest,
    { statusCode: status }: FastifyReply,
    next: CallHandler,
  ): Promise<unknown> {
    request.claimId = claimId;
    let isAnswered = false;
    const keeping: Ending = async (tx, result) => {
      const kept = keptAnswer(result);
      isAnswered = kept !== null;
      const holds = isAnswered
        ? await this.keys.keep(tx, claimId, { status, ...this.presenter.present(kept, request) })
        : await this.keys.holds(tx, claimId);
      if (!holds) {
        throw refusalOf({ found: 'running' });
      }
    };
    const answer: unknown = await this.database.endingWith(keeping, () => lastValueFrom(next.handle()));
    if (isAnswered) {
      request.claimId = undefined;
    }
    return answer;
  }
}

/** Sends a stored response. A stored error is thrown again, because a returned value would get a success status. */
function replay({ status, headers, body }: KeptAnswer, reply: FastifyReply): Buffer {
  reply.headers({ ...headers, 'idempotency-replayed': 'true' });
  if (status < 400) {
    return body;
  }
  const kept = JSON.parse(body.toString()) as { message: string; code?: ErrorCode };
  // Responses stored by earlier releases, before errors had codes, contain no code.
  const { message, code = codeOfStatus(status), ...extra } = kept;
  throw new ApiError(code, message, extra, {}, status);
}

function refusalOf({ found }: Exclude<KeyClaim, { found: 'claimed' | 'answered' }>): ApiError {
  return found === 'running'
    ? new ApiError('IDEMPOTENCY_KEY_IN_USE', undefined, {}, { 'retry-after': '1' })
    : new ValidationError([
        {
          path: 'Idempotency-Key',
          message: ERROR_CODES.IDEMPOTENCY_KEY_REUSED.message,
          code: 'IDEMPOTENCY_KEY_REUSED',
        },
      ]);
}
