import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { MAX_PER_PAGE, SORT_VALUES } from '../lists/list-query';
import {
  answer,
  BODY_FAILURES,
  CHANGED,
  COMMON,
  Described,
  HeaderName,
  headersNamed,
  INVALID,
  MISSING,
  UNDER_WAY,
} from './responses';
import { DRY_RUN, formWithoutId, IDEMPOTENCY_KEY } from './safe-retries';

/* What the reference says about an operation: one decorator for each kind of operation. */

export interface OperationText {
  /** `operationId`, unique in the document. */
  id: string;
  summary: string;
  description?: string;
  /** What is answered when only some fields of the record are asked for. */
  partial?: Described;
}

const formsOf = (record: Described, { partial }: OperationText): [Described, ...Described[]] =>
  partial === undefined ? [record] : [record, partial];

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

const READING = [IF_NONE_MATCH, NOT_MODIFIED, MISSING];

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
    ...READING,
    ...(canFail ? [INVALID] : []),
  ]);

/** GET of what is computed from records; in brackets when it is an array. */
export const ComputedOperation = (
  type: Described | [Described],
  text: OperationText,
  { canFail = false } = {},
): MethodDecorator =>
  operation(text, [
    answer(200, 'As computed now.', [[type].flat()[0]], ['ETag'], Array.isArray(type)),
    ...READING,
    ...(canFail ? [INVALID] : []),
  ]);

/** GET of text to be kept as a file. */
export const DownloadOperation = (
  { type, example }: { type: string; example: string },
  text: OperationText,
): MethodDecorator => {
  const headers = headersNamed(['ETag', 'Content-Disposition']);
  const content = { [type]: { schema: { type: 'string' as const }, example } };
  return operation(text, [
    ApiResponse({ status: 200, description: 'The file.', headers, content }),
    ...READING,
    INVALID,
  ]);
};

/** POST that makes a record; `dryRun` is the form that it has while nothing is stored. */
export const CreateOperation = (
  record: Described,
  input: Described,
  text: OperationText,
  {
    bodyRequired = true,
    dryRun = formWithoutId(record),
  }: { bodyRequired?: boolean; dryRun?: Described } = {},
): MethodDecorator =>
  operation(text, [
    ...withBody(input, bodyRequired),
    answer(
      201,
      'The new record.',
      [record, dryRun],
      ['ETag', 'Location', 'X-Dry-Run', 'Idempotency-Replayed'],
    ),
    IF_MATCH,
    IDEMPOTENCY_KEY,
    DRY_RUN,
    UNDER_WAY,
    MISSING,
    CHANGED,
    INVALID,
  ]);

/** PUT or PATCH: absent fields stay, null clears. */
export const UpdateOperation = (
  record: Described,
  input: Described,
  text: OperationText,
  options: { bodyRequired?: boolean; headers?: HeaderName[] } = {},
): MethodDecorator =>
  operation(text, [
    ...withBody(input, options.bodyRequired ?? true),
    answer(200, 'The updated record.', [record], ['ETag', 'X-Dry-Run', ...(options.headers ?? [])]),
    IF_MATCH,
    DRY_RUN,
    MISSING,
    CHANGED,
    INVALID,
  ]);

/** POST that finds a record by its name. */
export const FindOperation = (record: Described, input: Described, text: OperationText): MethodDecorator =>
  operation(text, [
    ...withBody(input),
    answer(200, 'The oldest record with exactly this name.', [record], ['ETag', 'Idempotency-Replayed']),
    IDEMPOTENCY_KEY,
    UNDER_WAY,
    MISSING,
    CHANGED,
    INVALID,
  ]);

/** DELETE of one record. */
export const DeleteOperation = (text: OperationText): MethodDecorator =>
  operation(text, [
    ...BODY_FAILURES,
    ApiResponse({ status: 204, description: 'Deleted.', headers: headersNamed(['X-Dry-Run']) }),
    IF_MATCH,
    DRY_RUN,
    MISSING,
    CHANGED,
    INVALID,
  ]);
