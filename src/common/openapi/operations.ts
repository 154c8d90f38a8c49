import { applyDecorators, Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE, SORT_VALUES } from '../lists/list-query';
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
  /** What it does, when to use it and what it refuses; what all operations of its kind do is added to it. */
  description: string;
  /** Forms of the record that are answered when less of it is asked for. */
  others?: readonly Described[];
}

const formsOf = (record: Described, { others = [] }: OperationText): [Described, ...Described[]] => [
  record,
  ...others,
];

const IF_NONE_MATCH = ApiHeader({
  name: 'If-None-Match',
  required: false,
  description: 'ETag of the answer that is known already; 304 while it is still true.',
  schema: { type: 'string' },
});

const ifMatch = (what: string) =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: `ETag of ${what} as it was read; 412 when it has changed since.`,
    schema: { type: 'string' },
  });

const IF_MATCH = ifMatch('the record');

const NOT_MODIFIED = ApiResponse({
  status: 304,
  description: 'Nothing has changed since the ETag in If-None-Match.',
});

const READING = [IF_NONE_MATCH, NOT_MODIFIED, MISSING];

const LIST = `The answer is a bare array, by \`id\` unless \`sort\` says otherwise, and complete unless \`page\` or
\`per_page\` asks for a part. \`X-Total-Count\` tells how many there are on all pages.`;

const SHOW = `The \`ETag\` goes into \`If-None-Match\` to ask again at no cost, and into \`If-Match\` of a change.`;

const CREATE = `With an \`Idempotency-Key\` it may be sent again without making a second record; with \`dry_run=1\` it is only
tried out. Everything that is wrong is refused at once, and then nothing is stored.`;

const UPDATE = `Absent fields stay as they are, and \`null\` clears what may be null. Read-only fields may be sent back as they were
read, so the body of a GET is accepted. PUT and PATCH do the same.`;

const CHANGE = `With \`If-Match\` it is done only if nobody else changed the record since it was read; with \`dry_run=1\` it is only
tried out.`;

/** @param rules what all operations of the kind have in common */
function operation(
  { id, summary, description }: OperationText,
  rules: string[],
  decorators: (MethodDecorator & ClassDecorator)[],
) {
  const text = ApiOperation({
    operationId: id,
    summary,
    description: [description, ...rules].join('\n\n'),
  });
  return applyDecorators(text, ...decorators, ...COMMON);
}

const withBody = (
  type: Type<object>,
  example: unknown,
  required = true,
): (MethodDecorator & ClassDecorator)[] => [
  applyDecorators(
    ApiExtraModels(type),
    ApiBody({
      required,
      schema: { $ref: getSchemaPath(type) },
      examples: { example: { value: example } },
    }),
  ),
  ...BODY_FAILURES,
];

/** GET of a list. */
export const ListOperation = (record: Described, text: OperationText, hasParent = true): MethodDecorator =>
  operation(
    text,
    [LIST],
    [
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
          example: 'shop',
        }),
        ApiQuery({
          name: 'sort',
          required: false,
          description: 'What the list is ordered by; descending with `-` before it. Ties are broken by `id`.',
          schema: { type: 'string', enum: SORT_VALUES, default: 'id' },
        }),
        ApiQuery({
          name: 'page',
          required: false,
          schema: { type: 'integer', minimum: 1 },
          description: 'Page to return, from 1; without it and `per_page` everything is returned.',
        }),
        ApiQuery({
          name: 'per_page',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE },
          description: `Entries on each page, up to ${MAX_PER_PAGE}; ${DEFAULT_PER_PAGE} where only \`page\` is given.`,
        }),
        IF_NONE_MATCH,
      ),
      NOT_MODIFIED,
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

/** GET of what is computed from records; in brackets when it is an array. */
export const ComputedOperation = (
  type: Described | [Described],
  text: OperationText,
  { canFail = false } = {},
): MethodDecorator =>
  operation(
    text,
    [],
    [
      answer(200, 'As computed now.', [[type].flat()[0]], ['ETag'], Array.isArray(type)),
      ...READING,
      ...(canFail ? [INVALID] : []),
    ],
  );

/** GET of text to be kept as a file. */
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
 * POST that makes a record; `dryRun` is the form that it has while nothing is stored, `parent` the record in which it
 * is made.
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
      ifMatch(`the ${parent}, for there is no record yet,`),
      IDEMPOTENCY_KEY,
      DRY_RUN,
      UNDER_WAY,
      MISSING,
      CHANGED,
      INVALID,
    ],
  );

/** PUT or PATCH: absent fields stay, null clears. */
export const UpdateOperation = (record: Described, input: Described, text: OperationText): MethodDecorator =>
  ChangeOperation(record, input, { ...text, description: `${text.description}\n\n${UPDATE}` });

/** PATCH that does something to a record, and takes what it needs for that. */
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
      MISSING,
      CHANGED,
      INVALID,
    ],
  );

/** POST that finds a record by its name, which in the example is that of the record's. */
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
      IDEMPOTENCY_KEY,
      UNDER_WAY,
      MISSING,
      CHANGED,
      INVALID,
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
      MISSING,
      CHANGED,
      INVALID,
    ],
  );
