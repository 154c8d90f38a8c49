import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { ErrorBody, ForbiddenBody, TooLargeBody, ValidationErrorBody } from './error-bodies';

/* Responses and errors in the reference. */

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
  ETag: header('Changes when the response changes.'),
  'X-Total-Count': header('Number of entries on all pages.', 'integer'),
  Link: { ...header('RFC 8288 links to the other pages, if `page` or `per_page` is set.'), required: false },
  Location: header('URL of the new record.'),
  'Content-Disposition': header('Name of the file.'),
  'X-Dry-Run': {
    ...header('`true` for a dry run: nothing was stored.'),
    required: false,
  },
  'Idempotency-Replayed': {
    ...header('`true` if this is the stored response to an earlier request with the same key.'),
    required: false,
  },
  'X-Snippet-Bytes': header('Size of the live script in bytes, compressed with gzip.', 'integer'),
  'WWW-Authenticate': header('Bearer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'X-RateLimit-Limit': header('Requests per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this minute.', 'integer'),
  'X-RateLimit-Reset': header('When the next minute begins, in seconds since 1970.', 'integer'),
};

export type HeaderName = keyof typeof HEADERS;

/** Headers that a write has only if it was stored. */
const STORED_ONLY: readonly HeaderName[] = ['ETag', 'Location'];

/** The headers of a response. If it may be a dry run, headers of stored records are optional. */
export function headersNamed(names: readonly HeaderName[]) {
  const isWrite = names.includes('X-Dry-Run');
  const described = (name: HeaderName) =>
    isWrite && STORED_ONLY.includes(name) ? { ...HEADERS[name], required: false } : HEADERS[name];
  return Object.fromEntries(names.map((name) => [name, described(name)]));
}

/** @param types the record, and where there is one, its partial form */
export function answer(
  status: number,
  description: string,
  types: readonly [Described, ...Described[]],
  headers: HeaderName[],
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

const failure = (
  status: number,
  description: string,
  type: Described = ErrorBody,
  message?: string,
  headers: HeaderName[] = [],
) =>
  applyDecorators(
    ApiExtraModels(type),
    ApiResponse({
      status,
      description,
      ...(headers.length === 0 ? {} : { headers: headersNamed(headers) }),
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(type) },
          example: message === undefined ? type.example : { message },
        },
      },
    }),
  );

/** The failures that any operation under `/api` can have. */
export const COMMON = [
  failure(401, 'The token is missing or not valid.', ErrorBody, 'Unauthenticated.', ['WWW-Authenticate']),
  failure(
    403,
    'The token lacks the ability, or the role in the team does not allow the action.',
    ForbiddenBody,
  ),
  failure(429, 'The rate limit of the user is exceeded.', ErrorBody, 'Too Many Attempts.', [
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ]),
  failure(
    500,
    'Internal server error. The server logs the cause with the X-Request-Id of the response.',
    ErrorBody,
    'Server Error',
  ),
  failure(
    503,
    'The database is unavailable, or the server is overloaded or stopping.',
    ErrorBody,
    'Service Unavailable',
    ['Retry-After'],
  ),
];

export const MISSING = failure(
  404,
  'The item does not exist, or the user cannot see it.',
  ErrorBody,
  'Not Found',
);
export const INVALID = failure(422, 'Validation failed. `errors` lists all errors.', ValidationErrorBody);
export const CHANGED = failure(
  412,
  'The record has changed: its ETag does not match If-Match.',
  ErrorBody,
  'Precondition Failed',
);

export const UNDER_WAY = failure(
  409,
  'A request with the same Idempotency-Key is still running.',
  ErrorBody,
  'A request with this Idempotency-Key is still running.',
  ['Retry-After'],
);

export const BODY_FAILURES = [
  failure(400, 'The body is not JSON.', ErrorBody, 'The body is not valid JSON.'),
  failure(413, 'The body is larger than 1 MiB, or has too many events.', TooLargeBody),
  failure(415, 'The content type is not application/json.', ErrorBody, 'Unsupported Media Type'),
];
