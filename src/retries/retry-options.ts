import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { ResolvedRequest } from '../access/scope-resolver';
import { UnreadableBody } from '../common/http/json-body';
import { ValidationError } from '../common/errors/api-errors';
import type { Failure } from '../common/validation/failure';

/** Does a request ask for a dry run? */
type DryRun = 'yes' | 'no' | 'unclear';

const VALUES = new Map<unknown, DryRun>([
  [undefined, 'no'],
  ['0', 'no'],
  ['false', 'no'],
  ['1', 'yes'],
  ['true', 'yes'],
]);

/** Reads the parameter `dry_run`. */
export const readDryRun = (query: unknown): DryRun =>
  VALUES.get((query as Record<string, unknown>).dry_run) ?? 'unclear';

/** A request as far as its safe repetition is concerned. */
export interface RetriedRequest extends ResolvedRequest {
  /** Absent where nothing can be written. */
  dryRun?: DryRun;
  /** The claim on the key of the request, while its work is under way. */
  claimId?: number;
}

const KEY = 'idempotency-key';
const MAX_KEY = 255;

/** The `Idempotency-Key` of a request whose answer is to be kept; undefined when it sends none, or none that counts. */
export function keyOf({ method, headers, actor, dryRun, body }: RetriedRequest): string | undefined {
  const counts = method === 'POST' && actor !== undefined && dryRun !== 'yes';
  return counts && !(body instanceof UnreadableBody) ? headers[KEY]?.toString() : undefined;
}

/** Has the key a length that it may have? */
export const isKey = (key: string): boolean => key.length > 0 && [...key].length <= MAX_KEY;

/** Refuses an unclear `dry_run` and a key that is none. Who asks for safety must not find that it was ignored. */
@Injectable()
export class RetryOptionsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const failures = failuresOf(context.switchToHttp().getRequest<RetriedRequest>());
    if (failures.length > 0) {
      throw new ValidationError(failures);
    }
    return next.handle();
  }
}

function failuresOf(request: RetriedRequest): Failure[] {
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
