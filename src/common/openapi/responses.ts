import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';
import { ErrorBody, ForbiddenBody, ValidationErrorBody } from './error-bodies';

/* What the reference says about the answers of operations: good ones and refusals. */

/** A class that describes a record or body, with an example of it. */
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
  ETag: header('Changes when something in the answer changed.'),
  'X-Total-Count': header('Entries on all pages together.', 'integer'),
  Link: { ...header('RFC 8288 links to the other pages, when pages were asked for.'), required: false },
  Location: header('Address of the new record.'),
  'Content-Disposition': header('Name of the file.'),
  'X-Dry-Run': {
    ...header('`true` when nothing was stored, because a dry run was asked for.'),
    required: false,
  },
  'Idempotency-Replayed': {
    ...header('`true` when this is the first answer to the key, given again.'),
    required: false,
  },
  'X-Snippet-Bytes': header('Size of the script that is live, compressed with gzip.', 'integer'),
  'WWW-Authenticate': header('Bearer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'X-RateLimit-Limit': header('Requests per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this minute.', 'integer'),
  'X-RateLimit-Reset': header('When the next minute begins, in seconds since 1970.', 'integer'),
};

export type HeaderName = keyof typeof HEADERS;

/** What a write has only when it was stored. */
const STORED_ONLY: readonly HeaderName[] = ['ETag', 'Location'];

/** The headers of an answer. Where it may be that to a dry run, what only storing gives may be missing. */
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
  failure(429, 'More requests in this minute than the user may make.', ErrorBody, 'Too Many Attempts.', [
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ]),
  failure(
    500,
    'Something went wrong in the server; X-Request-Id finds the cause in its log.',
    ErrorBody,
    'Server Error',
  ),
  failure(
    503,
    'The database cannot be reached or the server is full or stopping.',
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
export const INVALID = failure(
  422,
  'Validation failed; `errors` lists everything that is wrong.',
  ValidationErrorBody,
);
export const CHANGED = failure(
  412,
  'What If-Match names has changed since it was read.',
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
  failure(413, 'The body is larger than 1 MiB.', ErrorBody, 'Payload Too Large'),
  failure(415, 'The body is of another type than application/json.', ErrorBody, 'Unsupported Media Type'),
];
