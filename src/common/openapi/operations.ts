import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiResponseOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { MAX_PER_PAGE, SORT_VALUES } from '../lists/list-query';
import { ErrorBody, ForbiddenBody, ValidationErrorBody } from './error-bodies';

/* What the reference says about an operation: one decorator for each kind of operation. */

/** A class that describes a record or body, with an example of it. */
export interface Described {
  new (): object;
  readonly example: unknown;
}

export interface OperationText {
  /** `operationId`, unique in the document. */
  id: string;
  summary: string;
  description?: string;
  /** What is answered when only some fields of the record are asked for. */
  partial?: Described;
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
  'WWW-Authenticate': header('Bearer'),
  'Retry-After': header('Seconds to wait.', 'integer'),
  'X-RateLimit-Limit': header('Requests per minute.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this minute.', 'integer'),
  'X-RateLimit-Reset': header('When the next minute begins, in seconds since 1970.', 'integer'),
};

type HeaderName = keyof typeof HEADERS;

const headersNamed = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, HEADERS[name]]));

/** @param types the record, and where there is one, its partial form */
function answer(
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

const formsOf = (record: Described, { partial }: OperationText): [Described, ...Described[]] =>
  partial === undefined ? [record] : [record, partial];

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
const COMMON = [
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

const MISSING = failure(404, 'The item does not exist, or the user cannot see it.', ErrorBody, 'Not Found');
const INVALID = failure(
  422,
  'Validation failed; `errors` lists everything that is wrong.',
  ValidationErrorBody,
);
const CHANGED = failure(
  412,
  'The record has changed since the version that If-Match names.',
  ErrorBody,
  'Precondition Failed',
);

const BODY_FAILURES = [
  failure(400, 'The body is not JSON.', ErrorBody, 'The body is not valid JSON.'),
  failure(413, 'The body is larger than 1 MiB.', ErrorBody, 'Payload Too Large'),
  failure(415, 'The body is of another type than application/json.', ErrorBody, 'Unsupported Media Type'),
];

const IF_NONE_MATCH = ApiHeader({
  name: 'If-None-Match',
  required: false,
  description: 'ETag of the answer that is known already; 304 while it is still true.',
  schema: { type: 'string' },
});

const IF_MATCH = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'ETag of the record as it was read; 412 when it has changed since.',
  schema: { type: 'string' },
});

const NOT_MODIFIED = ApiResponse({
  status: 304,
  description: 'Nothing has changed since the ETag in If-None-Match.',
});

function operation(
  { id, summary, description }: OperationText,
  decorators: (MethodDecorator & ClassDecorator)[],
) {
  const text = ApiOperation({
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
  });
  return applyDecorators(text, ...decorators, ...COMMON);
}

const body = (type: Described, required = true) =>
  ApiBody({
    required,
    schema: { $ref: getSchemaPath(type) },
    examples: { example: { value: type.example } },
  });

const withBody = (type: Described, required = true): (MethodDecorator & ClassDecorator)[] => [
  applyDecorators(ApiExtraModels(type), body(type, required)),
  ...BODY_FAILURES,
];

/** GET of a list. */
export const ListOperation = (record: Described, text: OperationText, hasParent = true): MethodDecorator =>
  operation(text, [
    answer(
      200,
      'The list, or the page of it.',
      formsOf(record, text),
      ['ETag', 'X-Total-Count', 'Link'],
      true,
    ),
    applyDecorators(
      ApiQuery({
        name: 'search',
        required: false,
        description: 'Part of the name, in any case.',
        schema: { type: 'string' },
      }),
      ApiQuery({
        name: 'sort',
        required: false,
        schema: { type: 'string', enum: SORT_VALUES, default: 'id' },
      }),
      ApiQuery({
        name: 'page',
        required: false,
        schema: { type: 'integer', minimum: 1 },
        description: 'Page to return; without it and `per_page` everything is returned.',
      }),
      ApiQuery({
        name: 'per_page',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE },
      }),
      IF_NONE_MATCH,
    ),
    NOT_MODIFIED,
    INVALID,
    ...(hasParent ? [MISSING] : []),
  ]);

/** GET of one record. */
export const ShowOperation = (record: Described, text: OperationText, canFail = false): MethodDecorator =>
  operation(text, [
    answer(200, 'The record.', formsOf(record, text), ['ETag']),
    IF_NONE_MATCH,
    NOT_MODIFIED,
    MISSING,
    ...(canFail ? [INVALID] : []),
  ]);

/** POST that makes a record. */
export const CreateOperation = (
  record: Described,
  input: Described,
  text: OperationText,
  options: { bodyRequired?: boolean } = {},
): MethodDecorator =>
  operation(text, [
    ...withBody(input, options.bodyRequired ?? true),
    answer(201, 'The new record.', [record], ['ETag', 'Location']),
    IF_MATCH,
    MISSING,
    CHANGED,
    INVALID,
  ]);

/** PUT or PATCH: absent fields stay, null clears. */
export const UpdateOperation = (record: Described, input: Described, text: OperationText): MethodDecorator =>
  operation(text, [
    ...withBody(input),
    answer(200, 'The updated record.', [record], ['ETag']),
    IF_MATCH,
    MISSING,
    CHANGED,
    INVALID,
  ]);

/** POST that finds a record by its name. */
export const FindOperation = (record: Described, input: Described, text: OperationText): MethodDecorator =>
  operation(text, [
    ...withBody(input),
    answer(200, 'The oldest record with exactly this name.', [record], ['ETag']),
    MISSING,
    CHANGED,
    INVALID,
  ]);

/** DELETE of one record. */
export const DeleteOperation = (text: OperationText): MethodDecorator =>
  operation(text, [
    ...BODY_FAILURES,
    ApiResponse({ status: 204, description: 'Deleted.' }),
    IF_MATCH,
    MISSING,
    CHANGED,
    INVALID,
  ]);
