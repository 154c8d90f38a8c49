import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { ValidationError } from '../common/errors/api-errors';
import type { Failure } from '../common/validation/failure';
import { isKey, keyOf, RetriedRequest } from './retried-request';

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
