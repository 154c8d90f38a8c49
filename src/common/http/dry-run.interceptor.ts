import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ValidationError } from '../errors/api-errors';

const OFF: readonly unknown[] = [undefined, '0', 'false'];

/** Refuses dry runs of writes: who asks for one must not find that everything was stored. */
@Injectable()
export class DryRunInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, query } = context.switchToHttp().getRequest<FastifyRequest>();
    const asked = (query as Record<string, unknown>).dry_run;
    const isWrite = !['GET', 'HEAD'].includes(method);
    if (isWrite && !OFF.includes(asked)) {
      throw new ValidationError([
        { path: 'dry_run', message: 'Dry runs are not available. Nothing was changed.' },
      ]);
    }
    return next.handle();
  }
}
