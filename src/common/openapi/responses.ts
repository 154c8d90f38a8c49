import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../errors/codes';
import { errorBodyOf, ForbiddenBody, ValidationErrorBody } from './error-bodies';

/* Describes responses and errors. */

/** A class that describes a record or body, with an example. */
export interface Described {
  new (): object;
  readonly example: unknown;
}

const header = (description: string, type: 'string' | 'integer' = 'string') => ({
  description,
  required: true,
  schema: { type },
});

const HEADERS = {
  ETag: header('Tag that changes when the response changes.'),
  'X-Total-Count': header('Total number of entries on all pages.', 'integer'),
  Link: {
    ...header(
      'RFC 8288 links to the other pages, if `page` or `per_page` is set, or the list is always paged.',
    ),
    required: false,
  },
  Location: header('URL of the new record.'),
  'Content-Disposition': header('Name of the file.'),
  'Cache-Control': header('How long browsers and proxies may cache the response.'),
  Vary: header('Accept-Encoding, because the response may be compressed.'),
  'X-Snippet-Revision': header('Number of the publication on which the response is based.', 'integer'),
  'X-Dry-Run': {
    ...header('`true` for a dry run: nothing was stored.'),
    required: false,
  },
  'Idempotency-Replayed': {
    ...header('`true` if this is the stored response to an earlier request with the same key.'),
    required: false,
  },
  'X-SSE-Support': {
    ...header('`enabled` if `/sub/{clientKey}` streams the payload.'),
    required: false,
  },
  'X-Accel-Buffering': header('`no`, so that nginx does not buffer events.'),
  'X-Snippet-Bytes': header('Gzip-compressed size of the live script, in bytes.', 'integer'),
  'WWW-Authenticate': header('Bearer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'X-RateLimit-Limit': header('Requests per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Requests remaining in the current minute.', 'integer'),
  'X-RateLimit-Reset': header('Start of the next minute, as a Unix timestamp in seconds.', 'integer'),
};

export type HeaderName = keyof typeof HEADERS;

/** Response headers for writes that are stored. Dry runs do not have these headers. */
const STORED_ONLY: readonly HeaderName[] = ['ETag', 'Location'];

/** Response headers for writes that are executed. Replays of stored responses do not have these headers. */
const EXECUTED_ONLY: readonly HeaderName[] = ['X-Snippet-Bytes'];

/**
 * Describes the headers of a response. If the request may be a dry run, the headers of stored records are optional. The
 * same applies to replays and the headers of executed writes.
 */
export function headersNamed(names: readonly HeaderName[]) {
  const optional = [
    ...(names.includes('X-Dry-Run') ? STORED_ONLY : []),
    ...(names.includes('Idempotency-Replayed') ? EXECUTED_ONLY : []),
  ];
  const described = (name: HeaderName) =>
    optional.includes(name) ? { ...HEADERS[name], required: false } : HEADERS[name];
  return Object.fromEntries(names.map((name) => [name, described(name)]));
}

/** @param types the record, and its partial form if there is one */
export function answer(
  status: number,
  description: string,
  types: readonly [Described, ...Described[]],
  headers: readonly HeaderName[],
  isArray = false,
): MethodDecorator & ClassDecorator {
  const [{ example }] = types;
  const schemas = types.map((type) => ({ $ref: getSchemaPath(type) }));
  const schema = schemas.length === 1 ? { $ref: getSchemaPath(types[0]) } : { anyOf: schemas };
  const options: ApiResponseOptions = {
    status,
    description,
    headers: headersNamed(headers),
    content: {
      'application/json': {
        schema: isArray ? { type: 'array', items: schema } : schema,
        example: isArray ? [example] : example,
      },
    },
  };
  return applyDecorators(ApiExtraModels(...types), ApiResponse(options));
}

/** An error response. Its example is the error with this code, unless the body has its own example. */
function failure(
  code: ErrorCode,
  description: string,
  { headers = [], example }: { headers?: HeaderName[]; example?: object } = {},
): MethodDecorator & ClassDecorator {
  const { status, message } = ERROR_CODES[code];
  return ApiResponse({
    status,
    description,
    ...(headers.length === 0 ? {} : { headers: headersNamed(headers) }),
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(errorBodyOf(status)) },
        example: example ?? { message, code },
      },
    },
  });
}

/** The errors that any operation under `/api` can return. */
export const COMMON = [
  failure('UNAUTHENTICATED', 'The token is missing or invalid.', { headers: ['WWW-Authenticate'] }),
  failure(
    'ROLE_INSUFFICIENT',
    "The token lacks the required ability, or the user's role in the team does not allow the action.",
    { example: ForbiddenBody.example },
  ),
  failure('RATE_LIMITED', "The user's rate limit is exceeded.", {
    headers: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  }),
  failure(
    'SERVER_ERROR',
    'Internal server error. The server log has the cause under the X-Request-Id of the response.',
  ),
  failure('UNAVAILABLE', 'The database is unavailable, or the server is overloaded or stopping.', {
    headers: ['Retry-After'],
  }),
];

export const MISSING = failure('NOT_FOUND', 'The record does not exist, or the user cannot see it.');
export const INVALID = failure('VALIDATION_FAILED', 'Validation failed. `errors` lists all errors.', {
  example: ValidationErrorBody.example,
});
const CHANGED = failure('PRECONDITION_FAILED', 'The record has changed: its ETag does not match If-Match.');

/** The errors that writes return because of the body or the record. */
export const WRITE_FAILURES = [MISSING, CHANGED, INVALID];

export const UNDER_WAY = failure(
  'IDEMPOTENCY_KEY_IN_USE',
  'A request with the same Idempotency-Key is still running.',
  { headers: ['Retry-After'] },
);

export const BODY_FAILURES = [
  failure('BODY_NOT_JSON', 'The body is not JSON.'),
  failure(
    'BODY_TOO_LARGE',
    'The body is larger than 1 MiB (16 MiB for a definition), or has too many fields or events.',
    { example: { message: 'The body must not be larger than 1 MiB.', code: 'BODY_TOO_LARGE' } },
  ),
  failure('UNSUPPORTED_MEDIA_TYPE', 'The content type is not application/json.'),
];

/** The response with status 304. */
export const unchanged = (headers: readonly HeaderName[] = ['ETag']) => ({
  description: 'The ETag in If-None-Match is still current, so the response has no body.',
  headers: headersNamed(headers),
});

export const UNCHANGED = unchanged();
