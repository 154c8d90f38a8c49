import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { UnreadableBody } from '../common/http/json-body';

/** Rejects unusable bodies, after authentication, authorization and lookup of the record. */
@Injectable()
export class ReadableBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (body instanceof UnreadableBody) {
      throw body.refusal;
    }
    return next.handle();
  }
}
