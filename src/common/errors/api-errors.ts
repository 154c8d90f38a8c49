import { ERROR_CODES, type ErrorCode } from './codes';

/** An error that is sent to the client. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CODES[code].message,
    /** Additional machine-readable keys of the body. */
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
    /** The status of the error code, unless the framework chose a different one. */
    readonly status: number = ERROR_CODES[code].status,
  ) {
    super(message);
  }

  /** The body of the response. */
  get body(): object {
    return { message: this.message, code: this.code, ...this.extra };
  }
}

export class UnauthenticatedError extends ApiError {
  constructor() {
    super('UNAUTHENTICATED', undefined, {}, { 'www-authenticate': 'Bearer' });
  }
}

export class MissingAbilityError extends ApiError {
  constructor(ability: string) {
    super('ABILITY_MISSING', `Missing required ability: ${ability}`);
  }
}

export class UnauthorizedRoleError extends ApiError {
  constructor(role: string, permission: string) {
    super('ROLE_INSUFFICIENT', undefined, { role, permission });
  }
}

/** The error is the same for missing records and for records that the caller is not allowed to see. */
export class NotFoundError extends ApiError {
  constructor() {
    super('NOT_FOUND');
  }
}

/** Returns a record that must exist. @throws NotFoundError if there is none */
export function found<T>(record: T | null | undefined): T {
  if (record === null || record === undefined) {
    throw new NotFoundError();
  }
  return record;
}

export class PreconditionFailedError extends ApiError {
  constructor() {
    super('PRECONDITION_FAILED');
  }
}

/** The request is larger than the server ever accepts. */
export class TooLargeError extends ApiError {
  /** @param max the maximum number of events */
  constructor(max: number) {
    super('TOO_MANY_EVENTS', `At most ${max.toLocaleString('en')} events can be sent at once.`, {
      max_events: max,
    });
  }
}

export class UnavailableError extends ApiError {
  /** Whether the cause has already been logged where it occurred. */
  readonly isLogged: boolean = false;

  /** @param message for a person; defaults to the name of the status */
  constructor(retryAfterSeconds = 2, code: 'UNAVAILABLE' | 'OVERLOADED' = 'UNAVAILABLE', message?: string) {
    super(code, message, {}, { 'retry-after': String(retryAfterSeconds) });
  }
}

/** Unavailable for a reason that operators can find in the log. The response reveals nothing about the installation. */
export class InternallyUnavailableError extends UnavailableError {
  constructor(retryAfterSeconds: number, reason: string) {
    super(retryAfterSeconds);
    this.message = reason;
  }

  override get body(): object {
    return new UnavailableError().body;
  }
}

/** The server is overloaded. */
export class OverloadedError extends UnavailableError {
  constructor() {
    super(undefined, 'OVERLOADED');
  }
}

/** One reason why a submitted value was rejected. */
export interface Failure {
  /** Dotted path to the invalid part, relative to the checked value; '' for the whole value. */
  path: string;
  /** A sentence that tells the user what to do. It does not contain the path. */
  message: string;
  /** The code of the response, if this reason has its own code. */
  code?: ErrorCode;
}

/** All validation errors in a request. */
export class ValidationError extends ApiError {
  constructor(
    readonly failures: readonly Failure[],
    private readonly further: Readonly<Record<string, unknown>> = {},
  ) {
    const code = failures.find((failure) => failure.code !== undefined)?.code ?? 'VALIDATION_FAILED';
    super(code, summary(failures), { errors: byPath(failures), ...further });
  }

  /** The same error with these failures in front of its own. */
  after(failures: readonly Failure[]): ValidationError {
    return new ValidationError([...failures, ...this.failures], this.further);
  }
}

function summary(failures: readonly Failure[]): string {
  const first = failures[0]?.message ?? 'The given data was invalid.';
  const more = failures.length - 1;
  return more > 0 ? `${first} (and ${more} more ${more === 1 ? 'error' : 'errors'})` : first;
}

function byPath(failures: readonly Failure[]): Record<string, string[]> {
  // The object has no prototype, so a field may share its name with a property of `Object.prototype`.
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

/**
 * The codes of the OpenFeature Remote Evaluation Protocol (OFREP). Each one is also the `errorCode` of the response.
 */
const OFREP_CODES = [
  'PARSE_ERROR',
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'GENERAL',
  'FLAG_NOT_FOUND',
] as const satisfies ErrorCode[];

export type OfrepCode = (typeof OFREP_CODES)[number];

/** The codes that can go with a status outside OFREP. */
export const codesOf = (status: number): ErrorCode[] =>
  (Object.keys(ERROR_CODES) as ErrorCode[]).filter(
    (code) => ERROR_CODES[code].status === status && !OFREP_CODES.some((other) => other === code),
  );

/** The code of an error whose cause is unknown: the first code of its status. */
export const codeOfStatus = (status: number): ErrorCode =>
  codesOf(status)[0] ?? (status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR');
