import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RouteTable } from '../http/route-table';
import { ApiError, OverloadedError } from './api-errors';
import { failureLog } from './failure-log';
import { NotFoundPages } from './not-found-pages';
import { refusalOf } from './refusal';

/** Converts every exception to the common error format. Logs only unexpected errors as errors. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly routes: RouteTable,
    private readonly pages: NotFoundPages,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const told = refusalOf(error);
    const isMissing = told.status === 404;
    const refusal = isMissing && request.is404 ? this.noRoute(request) : told;
    if (refusal.status >= 500) {
      failureLog.report(this.logger, error, { requestId: request.id }, 'Request failed');
    }
    reply.status(refusal.status).headers({ ...refusal.headers });
    const isToldOnPages = isMissing || error instanceof OverloadedError;
    if (!isToldOnPages || !this.pages.answer(request, reply, refusal.status)) {
      void reply.send(refusal.body);
    }
  }

  /** A known path with another method gets 405. */
  private noRoute(request: FastifyRequest): ApiError {
    const allowed = this.routes.allowed(request.url);
    return allowed.length === 0 || allowed.includes(request.method)
      ? new ApiError('NOT_FOUND')
      : new ApiError('METHOD_NOT_ALLOWED', undefined, {}, { allow: allowed.join(', ') });
  }
}
