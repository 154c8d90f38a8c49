import { HttpException } from '@nestjs/common';
import { isUnavailable } from '../../database/errors';
import { ApiError, UnavailableError } from './api-errors';

/** Messages for errors of the framework. Other errors keep their messages. */
const MESSAGES: Readonly<Record<number, string>> = {
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
};

/** The error response for an exception. Causes of unexpected errors appear only in the log. */
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

/** The status of a framework error; null for other errors. */
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

/** Keeps the details of an error, such as the part of the server that is not ready. */
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
