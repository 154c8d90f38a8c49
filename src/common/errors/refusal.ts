import { HttpException } from '@nestjs/common';
import { isUnavailable } from '../../database/errors';
import { packetProblem } from '../../database/packet-size';
import { ApiError, codeOfStatus, UnavailableError } from './api-errors';

/** Statuses for which our messages replace the framework's messages. */
const OWN_MESSAGES: readonly number[] = [404, 413, 415];

/** The error response for an exception. The causes of unexpected errors appear only in the log. */
export function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  // An aborted request has the same error code as a lost database connection, but it also has a status from the
  // framework.
  if (statusOf(error) === null && isUnavailable(error)) {
    return new UnavailableError();
  }
  if (error instanceof HttpException && typeof error.getResponse() === 'object') {
    return fromHttpException(error);
  }
  const status = statusOf(error);
  return status === null || status >= 500
    ? new ApiError('SERVER_ERROR', packetProblem(error) ?? undefined)
    : fromFramework(status, error);
}

/** The status of a framework error; null for other errors. */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) {
    return error.getStatus();
  }
  const isFramework = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
  return isFramework ? (error.statusCode as number) : null;
}

/**
 * The framework responds with 403 to a path above the folder of static files, but to callers, such a path does not
 * exist.
 */
function fromFramework(given: number, error: unknown): ApiError {
  const status = given === 403 ? 404 : given;
  return errorWithStatus(status, error instanceof Error ? error.message : 'Bad Request');
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
  return errorWithStatus(status, typeof message === 'string' ? message : undefined, details, headers);
}

function errorWithStatus(
  status: number,
  message: string | undefined,
  details: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  const text = OWN_MESSAGES.includes(status) ? undefined : message;
  return new ApiError(codeOfStatus(status), text, details, headers, status);
}
