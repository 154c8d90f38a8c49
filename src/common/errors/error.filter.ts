import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MethodTable } from '../http/method-table';
import { ApiError } from './api-errors';
import { NowherePages } from './nowhere-pages';
import { refusalOf } from './refusal';

/** Turns whatever goes wrong into the one shape of error answers. Only unexpected errors are logged as such. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly methods: MethodTable,
    private readonly pages: NowherePages,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const told = refusalOf(error);
    const isMissing = told.status === 404;
    const refusal = isMissing && request.is404 ? this.noRoute(request) : told;
    if (refusal.status >= 500) {
      this.logger.error({ err: error, requestId: request.id }, 'Request failed');
    }
    reply.status(refusal.status).headers({ ...refusal.headers });
    if (!isMissing || !this.pages.answer(request, reply, refusal.status)) {
      void reply.send({ message: refusal.message, ...refusal.extra });
    }
  }

  /** A path that only other methods lead somewhere is known. */
  private noRoute(request: FastifyRequest): ApiError {
    const allowed = this.methods.allowed(request.url);
    return allowed.length === 0 || allowed.includes(request.method)
      ? new ApiError(404, 'Not Found')
      : new ApiError(405, 'Method Not Allowed', {}, { allow: allowed.join(', ') });
  }
}
