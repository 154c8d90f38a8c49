import { ERROR_CODES, type ErrorCode } from './codes';

/** An error that is sent to the client. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string = ERROR_CODES[code].message,
    /** Additional machine-readable keys of the body. */
    readonly extra: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
    /** The status of the code, unless the framework chose another one. */
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

/** The same error for a missing and for an invisible record. */
export class NotFoundError extends ApiError {
  constructor() {
    super('NOT_FOUND');
  }
}

/** A record that must exist. @throws NotFoundError if there is none */
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

/** The request is larger than the server can ever accept. */
export class TooLargeError extends ApiError {
  /** @param max the maximum number of events */
  constructor(max: number) {
    super('TOO_MANY_EVENTS', `At most ${max.toLocaleString('en')} events can be sent at once.`, {
      max_events: max,
    });
  }
}

export class UnavailableError extends ApiError {
  /** Whether its cause has already been logged at its origin. */
  readonly isLogged: boolean = false;

  /** @param message for a person; by default the name of the status */
  constructor(retryAfterSeconds = 2, code: 'UNAVAILABLE' | 'OVERLOADED' = 'UNAVAILABLE', message?: string) {
    super(code, message, {}, { 'retry-after': String(retryAfterSeconds) });
  }
}

/** Unavailable for a reason that operators find in the log. Responses reveal nothing about the installation. */
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

/** One reason why a submitted value is rejected. */
export interface Failure {
  /** Dotted path of the invalid part, relative to the checked value; '' for the value itself. */
  path: string;
  /** A sentence that tells the user what to do, without the path. */
  message: string;
  /** The code of the response, if the reason has its own. */
  code?: ErrorCode;
}

/** All validation errors of a request. */
export class ValidationError extends ApiError {
  constructor(
    readonly failures: readonly Failure[],
    private readonly further: Readonly<Record<string, unknown>> = {},
  ) {
    const code = failures.find((failure) => failure.code !== undefined)?.code ?? 'VALIDATION_FAILED';
    super(code, summary(failures), { errors: byPath(failures), ...further });
  }

  /** The same error, with more failures before its own. */
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
  // Without a prototype, so that a field may have the name of an `Object.prototype` property.
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

/** The codes of the OpenFeature Remote Evaluation Protocol, which are also its `errorCode`. */
const OFREP_CODES = [
  'PARSE_ERROR',
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'GENERAL',
  'FLAG_NOT_FOUND',
] as const satisfies ErrorCode[];

export type OfrepCode = (typeof OFREP_CODES)[number];

/** The codes of a status outside OFREP. */
export const codesOf = (status: number): ErrorCode[] =>
  (Object.keys(ERROR_CODES) as ErrorCode[]).filter(
    (code) => ERROR_CODES[code].status === status && !OFREP_CODES.some((other) => other === code),
  );

/** The code of an error when only its status is known: the status's first code. */
export const codeOfStatus = (status: number): ErrorCode =>
  codesOf(status)[0] ?? (status < 500 ? 'BAD_REQUEST' : 'SERVER_ERROR');
