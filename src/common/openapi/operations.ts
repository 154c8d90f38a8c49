import { applyDecorators, Type } from '@nestjs/common';
import { ApiQuery, ApiResponse } from '@nestjs/swagger';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE, SORT_VALUES } from '../lists/list-query';
import {
  formsOf,
  IF_MATCH,
  IF_NONE_MATCH,
  ifMatch,
  LIST_HEADERS,
  LIST_NOT_MODIFIED,
  operation,
  OperationText,
  READING,
  withBody,
  DRY_RUN,
  formWithoutId,
  REPEATABLE,
} from './operation';
import {
  answer,
  BODY_FAILURES,
  Described,
  HeaderName,
  headersNamed,
  INVALID,
  MISSING,
  WRITE_FAILURES,
} from './responses';

/* Describes operations, with one decorator for each kind of operation. */

const LIST = `The response is an array, sorted by \`id\` unless you set \`sort\`. It is complete unless you set \`page\` or
\`per_page\`. \`X-Total-Count\` is the number of entries on all pages.`;

const SHOW = `Send the \`ETag\` as \`If-None-Match\` to get 304 while the record is unchanged, and as \`If-Match\` when you change the record.`;

const CREATE = `With an \`Idempotency-Key\`, a retry does not create a second record. With \`dry_run=1\`, nothing is stored.
If the request has errors, nothing is stored, and the response lists all of them at once.`;

const UPDATE = `Absent fields stay unchanged, and \`null\` clears a nullable field. Read-only fields are accepted if they have their
current values, so you can send back the body of a GET.`;

const CHANGE = `With \`If-Match\`, the change succeeds only if the record has not changed since you read it. With \`dry_run=1\`,
nothing is stored.`;

/** GET of a list. */
export const ListOperation = (record: Described, text: OperationText, hasParent = true): MethodDecorator =>
  operation(
    text,
    [LIST],
    [
      answer(200, 'The whole list, or one page.', formsOf(record, text), LIST_HEADERS, true),
      applyDecorators(
        ApiQuery({
          name: 'search',
          required: false,
          description: 'Return only records whose name contains this text; case-insensitive.',
          schema: { type: 'string' },
          example: 'shop',
        }),
        ApiQuery({
          name: 'sort',
          required: false,
          description: 'Field to sort by. Prefix it with `-` for descending order. Ties are broken by `id`.',
          schema: { type: 'string', enum: SORT_VALUES, default: 'id' },
        }),
        ApiQuery({
          name: 'page',
          required: false,
          schema: { type: 'integer', minimum: 1 },
          description:
            'Page to return, starting at 1. Without `page` and `per_page`, the whole list is returned.',
        }),
        ApiQuery({
          name: 'per_page',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE },
          description: `Entries per page, up to ${MAX_PER_PAGE}; ${DEFAULT_PER_PAGE} if you set only \`page\`.`,
        }),
        IF_NONE_MATCH,
      ),
      LIST_NOT_MODIFIED,
      INVALID,
      ...(hasParent ? [MISSING] : []),
    ],
  );

/** GET of one record. */
export const ShowOperation = (record: Described, text: OperationText, canFail = false): MethodDecorator =>
  operation(
    text,
    [SHOW],
    [answer(200, 'The record.', formsOf(record, text), ['ETag']), ...READING, ...(canFail ? [INVALID] : [])],
  );

/** GET of a computed result. If the response is an array, pass the type in brackets. */
export const ComputedOperation = (
  type: Described | [Described, ...Described[]],
  text: OperationText,
  { canFail = false } = {},
): MethodDecorator =>
  operation(
    text,
    [],
    [
      answer(200, 'The current result.', Array.isArray(type) ? type : [type], ['ETag'], Array.isArray(type)),
      ...READING,
      ...(canFail ? [INVALID] : []),
    ],
  );

/** GET of data in the server's memory, without an ETag. */
export const LiveOperation = (
  type: Described,
  text: OperationText,
  { canFail = false } = {},
): MethodDecorator =>
  operation(
    text,
    [],
    [answer(200, 'The current state.', [type], []), MISSING, ...(canFail ? [INVALID] : [])],
  );

/** GET of a text file. */
export const DownloadOperation = (
  { type, example }: { type: string; example: string },
  text: OperationText,
): MethodDecorator => {
  const headers = headersNamed(['ETag', 'Content-Disposition']);
  const content = { [type]: { schema: { type: 'string' as const }, example } };
  return operation(
    text,
    [],
    [ApiResponse({ status: 200, description: 'The file.', headers, content }), ...READING, INVALID],
  );
};

/**
 * POST that creates a record. `dryRun` is the record's form in a dry run, and `parent` is the record that contains the
 * new one.
 */
export const CreateOperation = (
  record: Described,
  input: Described,
  text: OperationText,
  {
    bodyRequired = true,
    dryRun = formWithoutId(record),
    parent = 'project',
  }: { bodyRequired?: boolean; dryRun?: Described; parent?: string } = {},
): MethodDecorator =>
  operation(
    text,
    [CREATE],
    [
      ...withBody(input, input.example, bodyRequired),
      answer(
        201,
        'The new record.',
        [record, dryRun],
        ['ETag', 'Location', 'X-Dry-Run', 'Idempotency-Replayed'],
      ),
      ifMatch(`the ${parent} (the record itself does not exist yet)`),
      ...REPEATABLE,
      DRY_RUN,
      ...WRITE_FAILURES,
    ],
  );

/** PUT or PATCH. Absent fields stay unchanged, and null clears a field. */
export const UpdateOperation = (record: Described, input: Described, text: OperationText): MethodDecorator =>
  ChangeOperation(record, input, { ...text, description: `${text.description}\n\n${UPDATE}` });

/** PATCH of a record with a different body, such as a status change. */
export const ChangeOperation = (
  record: Described,
  input: Described,
  text: OperationText,
  options: { bodyRequired?: boolean; headers?: HeaderName[] } = {},
): MethodDecorator =>
  operation(
    text,
    [CHANGE],
    [
      ...withBody(input, input.example, options.bodyRequired),
      answer(200, 'The updated record.', [record], ['ETag', 'X-Dry-Run', ...(options.headers ?? [])]),
      IF_MATCH,
      DRY_RUN,
      ...WRITE_FAILURES,
    ],
  );

/** POST of an action on a record, with an empty body. */
export const ActionOperation = (
  record: Described,
  input: Described,
  text: OperationText,
  { dryRun, headers = [] }: { dryRun?: Described; headers?: HeaderName[] } = {},
): MethodDecorator =>
  operation(
    text,
    [CHANGE],
    [
      ...withBody(input, input.example, false),
      answer(200, 'The updated record.', dryRun === undefined ? [record] : [record, dryRun], [
        'ETag',
        'X-Dry-Run',
        'Idempotency-Replayed',
        ...headers,
      ]),
      IF_MATCH,
      ...REPEATABLE,
      DRY_RUN,
      ...WRITE_FAILURES,
    ],
  );

/** POST that finds a record by its name. The example uses the name of the example record. */
export const FindOperation = (
  record: Described & { example: { name: string } },
  input: Type<object>,
  text: OperationText,
): MethodDecorator =>
  operation(
    text,
    [],
    [
      ...withBody(input, { name: record.example.name }),
      answer(200, 'The oldest record with exactly this name.', [record], ['ETag', 'Idempotency-Replayed']),
      ...REPEATABLE,
      ...WRITE_FAILURES,
    ],
  );

/** POST that calculates something and stores nothing. */
export const CalculationOperation = (
  record: Described,
  input: Described,
  text: OperationText,
): MethodDecorator =>
  operation(
    text,
    [],
    [
      ...withBody(input, input.example),
      answer(200, 'The result.', [record], ['Idempotency-Replayed']),
      ...REPEATABLE,
      ...WRITE_FAILURES,
    ],
  );

/** DELETE of one record. */
export const DeleteOperation = (text: OperationText): MethodDecorator =>
  operation(
    text,
    [CHANGE],
    [
      ...BODY_FAILURES,
      ApiResponse({ status: 204, description: 'Deleted.', headers: headersNamed(['X-Dry-Run']) }),
      IF_MATCH,
      DRY_RUN,
      ...WRITE_FAILURES,
    ],
  );
