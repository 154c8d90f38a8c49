import { CallHandler, CanActivate, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, Observable } from 'rxjs';
import { Rehearsed, Renewed, Shown, Untagged } from '../../common/http/answers';
import { Database } from '../../database/database';
import type { ResolvedRequest } from '../access/scope-resolver';
import { UnreadableBody } from '../../common/http/json-body';
import { switchValue } from '../../common/http/query-switch';
import { type Failure, ValidationError } from '../../common/errors/api-errors';

/** Whether a request asks for a dry run. */
type DryRun = 'yes' | 'no' | 'unclear';

/** A request with its options for safe retries. */
export interface IdempotentRequest extends ResolvedRequest {
  /** Absent on routes that cannot write. */
  dryRun?: DryRun;
  /** The claim to the request's key while its work is running. */
  claimId?: number;
}

const KEY = 'idempotency-key';
const MAX_KEY = 255;

/**
 * The `Idempotency-Key` of a request whose response is to be stored; undefined if no key applies. Pages send a key with
 * every method except GET, because browsers may submit a form twice.
 */
export function keyOf({ method, headers, actor, dryRun, body }: IdempotentRequest): string | undefined {
  const isOfPage = actor?.tokenId === null && method !== 'GET';
  const counts = (method === 'POST' || isOfPage) && actor !== undefined && dryRun !== 'yes';
  return counts && !(body instanceof UnreadableBody) ? headers[KEY]?.toString() : undefined;
}

/** Whether the key has a valid length. */
export const isKey = (key: string): boolean => key.length > 0 && [...key].length <= MAX_KEY;

/**
 * Reads `dry_run` on routes that write. This is the first guard, so all responses to dry runs are marked, including
 * errors of later guards. The guard itself rejects nothing.
 */
@Injectable()
export class DryRunGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IdempotentRequest>();
    const asked = switchValue(request.query, 'dry_run');
    request.dryRun = asked === undefined ? 'unclear' : asked ? 'yes' : 'no';
    if (request.dryRun === 'yes') {
      context.switchToHttp().getResponse<FastifyReply>().header('x-dry-run', 'true');
    }
    return true;
  }
}

/**
 * Rejects an ambiguous `dry_run` and an invalid key, because these options must never be ignored silently. In either
 * case, the request is still executed as a dry run, so the response also reports all other failures.
 */
@Injectable()
export class RequestOptionsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<IdempotentRequest>();
    const failures = failuresOf(request);
    if (failures.length === 0) {
      return next.handle();
    }
    request.dryRun = 'yes';
    return from(refuse(failures, next, context.switchToHttp().getResponse<FastifyReply>()));
  }
}

/** @throws ValidationError with these failures and those of the request; errors of any other kind take precedence */
async function refuse(failures: readonly Failure[], next: CallHandler, reply: FastifyReply): Promise<never> {
  const headers = new Set(Object.keys(reply.getHeaders()));
  try {
    await lastValueFrom(next.handle());
  } catch (error) {
    if (error instanceof ValidationError) {
      throw error.after(failures);
    }
    throw error;
  }
  // The headers of the handler describe a result that the client does not get.
  Object.keys(reply.getHeaders())
    .filter((name) => !headers.has(name))
    .forEach((name) => void reply.removeHeader(name));
  throw new ValidationError(failures);
}

function failuresOf(request: IdempotentRequest): Failure[] {
  const failures: Failure[] = [];
  if (request.dryRun === 'unclear') {
    failures.push({ path: 'dry_run', message: 'The dry run must be 1, true, 0 or false.' });
  }
  const key = keyOf(request);
  if (key !== undefined && !isKey(key)) {
    failures.push({
      path: 'Idempotency-Key',
      message: 'The Idempotency-Key must have between 1 and 255 characters.',
    });
  }
  return failures;
}

/** The response to a dry run: without an ETag, a Location, or the ids of records that were not stored. */
function rehearsed(answer: unknown): unknown {
  if (answer instanceof Renewed || answer instanceof Untagged) {
    return new Rehearsed(answer.unstored());
  }
  return answer instanceof Shown ? new Rehearsed((answer as Shown<object>).kept) : answer;
}

/** Executes a dry run like any other write, then rolls back all of its transactions. */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.rehearse(next));
  }

  private async rehearse(next: CallHandler): Promise<unknown> {
    return rehearsed(await this.database.rollingBack(() => lastValueFrom(next.handle())));
  }
}
