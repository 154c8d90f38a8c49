import type { Failure } from '../validation/failure';

/** A refusal that the client is told about. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Further keys of the body, for programs. */
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export class UnauthenticatedError extends ApiError {
  constructor() {
    super(401, 'Unauthenticated.', {}, { 'www-authenticate': 'Bearer' });
  }
}

export class MissingAbilityError extends ApiError {
  constructor(ability: string) {
    super(403, `Missing required ability: ${ability}`);
  }
}

export class UnauthorizedRoleError extends ApiError {
  constructor(role: string, permission: string) {
    super(403, 'This action is unauthorized.', { role, permission });
  }
}

/** The same whether an item does not exist or may not be seen. */
export class NotFoundError extends ApiError {
  constructor() {
    super(404, 'Not Found');
  }
}

export class PreconditionFailedError extends ApiError {
  constructor() {
    super(412, 'Precondition Failed');
  }
}

export class UnavailableError extends ApiError {
  constructor(retryAfterSeconds = 2) {
    super(503, 'Service Unavailable', {}, { 'retry-after': String(retryAfterSeconds) });
  }
}

/** Everything that is wrong with a submission, at once. */
export class ValidationError extends ApiError {
  constructor(failures: readonly Failure[], extra: Readonly<Record<string, unknown>> = {}) {
    super(422, summary(failures), { errors: byPath(failures), ...extra });
  }
}

function summary(failures: readonly Failure[]): string {
  const first = failures[0]?.message ?? 'The given data was invalid.';
  const more = failures.length - 1;
  return more > 0 ? `${first} (and ${more} more ${more === 1 ? 'error' : 'errors'})` : first;
}

function byPath(failures: readonly Failure[]): Record<string, string[]> {
  const errors = new Map<string, string[]>();
  for (const { path, message } of failures) {
    errors.set(path, [...(errors.get(path) ?? []), message]);
  }
  return Object.fromEntries(errors);
}
