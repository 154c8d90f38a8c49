import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RouteTable } from '../http/route-table';
import { ApiError, OverloadedError } from './api-errors';
import { failureLog } from './failure-log';
import { refusalOf } from './refusal';

/**
 * The 404 page and other error pages that are not handled by a page's own filter. The module with the pages provides
 * them.
 */
export abstract class NotFoundPages {
  /** Sends a 404 page if the client accepts HTML. @returns whether it did */
  abstract answer(request: FastifyRequest, reply: FastifyReply, status: number): boolean;
}

/** Converts every exception to the common error format. Only unexpected errors are logged as errors. */
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

  /** The error for an unknown route: 405 if the path exists with a different method, otherwise 404. */
  private noRoute(request: FastifyRequest): ApiError {
    const allowed = this.routes.allowed(request.url);
    if (allowed.length === 0 || allowed.includes(request.method)) {
      return new ApiError('NOT_FOUND');
    }
    const allow = allowed.join(', ');
    const message = `The ${request.method} method is not supported here. Supported methods: ${allow}.`;
    return new ApiError('METHOD_NOT_ALLOWED', message, {}, { allow });
  }
}

/**
 * Creates an error handler that sends the errors of routes without a controller in the common format.
 * @param area name of the module in the log
 */
export function refusing(area: string) {
  const logger = new Logger(area);
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = refusalOf(error);
    if (refusal !== error && refusal.status >= 500) {
      failureLog.report(logger, error, { requestId: request.id }, `${area} failed`);
    }
    void reply
      .code(refusal.status)
      .headers({ ...refusal.headers })
      .send(refusal.body);
  };
}
