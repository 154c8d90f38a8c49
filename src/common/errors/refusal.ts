import { HttpException } from '@nestjs/common';
import { isUnavailable } from '../../database/errors';
import { ApiError, UnavailableError } from './api-errors';

/** Messages of refusals that the framework decides; the others keep their own. */
const MESSAGES: Readonly<Record<number, string>> = {
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
};

/** What a client is told of whatever went wrong; the causes of unexpected errors stay in the log. */
export function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  if (isUnavailable(error)) {
    return new UnavailableError();
  }
  if (error instanceof HttpException && typeof error.getResponse() === 'object') {
    return fromHttpException(error);
  }
  const status = statusOf(error);
  return status === null || status >= 500 ? new ApiError(500, 'Server Error') : fromFramework(status, error);
}

/** The status that the framework gives to an error; null when it knows nothing of it. */
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
