import { ArgumentsHost, Catch, ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../../database/errors';
import { MethodTable } from '../http/method-table';
import { ApiError, UnavailableError } from './api-errors';

/** Messages of refusals that the framework decides; the others keep their own. */
const MESSAGES: Readonly<Record<number, string>> = { 404: 'Not Found' };

/** Turns whatever goes wrong into the one shape of error answers. Only unexpected errors are logged as such. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly methods: MethodTable) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = this.toRefusal(error, request);
    if (refusal.status >= 500) {
      this.logger.error({ err: error, requestId: request.id }, 'Request failed');
    }
    void reply
      .status(refusal.status)
      .headers({ ...refusal.headers })
      .send({ message: refusal.message, ...refusal.extra });
  }

  private toRefusal(error: unknown, request: FastifyRequest): ApiError {
    if (error instanceof ApiError) {
      return error;
    }
    if (isUnavailable(error)) {
      return new UnavailableError();
    }
    const status = statusOf(error);
    if (status === 404 && request.is404) {
      return this.noRoute(request);
    }
    if (error instanceof HttpException && typeof error.getResponse() === 'object') {
      return fromHttpException(error);
    }
    return status === null || status >= 500
      ? new ApiError(500, 'Server Error')
      : fromFramework(status, error);
  }

  /** A path that only other methods lead somewhere is known. */
  private noRoute(request: FastifyRequest): ApiError {
    const allowed = this.methods.allowed(request.url);
    return allowed.length === 0 || allowed.includes(request.method)
      ? new ApiError(404, 'Not Found')
      : new ApiError(405, 'Method Not Allowed', {}, { allow: allowed.join(', ') });
  }
}

function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) {
    return error.getStatus();
  }
  const isFramework = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
  return isFramework ? (error.statusCode as number) : null;
}

function fromFramework(status: number, error: unknown): ApiError {
  const own = error instanceof Error ? error.message : 'Bad Request';
  return new ApiError(status, MESSAGES[status] ?? own);
}

/** Keeps the details that a refusal brings along, such as which part of the server is not ready. */
function fromHttpException(error: HttpException): ApiError {
  const status = error.getStatus();
  const {
    message,
    error: _name,
    statusCode: _status,
    ...details
  } = error.getResponse() as Record<string, unknown>;
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '2' } : {};
  const own = typeof message === 'string' ? message : error.message;
  return new ApiError(status, MESSAGES[status] ?? own, details, headers);
}
