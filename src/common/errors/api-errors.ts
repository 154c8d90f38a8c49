import type { Failure } from '../validation/failure';

/** An error that is sent to the client. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Additional keys of the body, for programs. */
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

/** The same error for a missing and for an invisible record. */
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

/** The request is larger than the server can ever accept. */
export class TooLargeError extends ApiError {
  /** @param what the counted items, such as `events`; the body has the maximum as `max_events` */
  constructor(what: string, max: number) {
    super(413, `At most ${max.toLocaleString('en')} ${what} can be sent at once.`, { [`max_${what}`]: max });
  }
}

export class UnavailableError extends ApiError {
  constructor(retryAfterSeconds = 2) {
    super(503, 'Service Unavailable', {}, { 'retry-after': String(retryAfterSeconds) });
  }
}

/** The server is overloaded. */
export class OverloadedError extends UnavailableError {}

/** All validation errors of a request. */
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
  // Without a prototype, so that a field may be called like what every object has.
  const errors = Object.create(null) as Record<string, string[] | undefined>;
  for (const { path, message } of failures) {
    const known = errors[path];
    if (known === undefined) {
      errors[path] = [message];
    } else {
      known.push(message);
    }
  }
  return errors as Record<string, string[]>;
}
