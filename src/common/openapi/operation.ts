import { applyDecorators, Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiSchema,
  getSchemaPath,
  OmitType,
} from '@nestjs/swagger';
import {
  BODY_FAILURES,
  COMMON,
  Described,
  type HeaderName,
  headersNamed,
  MISSING,
  UNCHANGED,
  unchanged,
  UNDER_WAY,
} from './responses';

/* Building blocks for the operations in the reference. */

export interface OperationText {
  /** `operationId`, unique in the document. */
  id: string;
  summary: string;
  /**
   * What the operation does, when to use it, and which requests it rejects. The rules that apply to all operations of
   * its kind are appended.
   */
  description: string;
  /** Partial forms of the record, for requests that select fields. */
  others?: readonly Described[];
}

export const formsOf = (record: Described, { others = [] }: OperationText): [Described, ...Described[]] => [
  record,
  ...others,
];

export const IF_NONE_MATCH = ApiHeader({
  name: 'If-None-Match',
  required: false,
  description: 'ETag from a previous response. If it still matches, the response is 304.',
  schema: { type: 'string' },
});

export const ifMatch = (what: string) =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: `ETag of ${what} when you last read it. If it has changed since, the response is 412.`,
    schema: { type: 'string' },
  });

export const IF_MATCH = ifMatch('the record');

const NOT_MODIFIED = ApiResponse({ status: 304, ...UNCHANGED });

export const LIST_HEADERS: readonly HeaderName[] = ['ETag', 'X-Total-Count', 'Link'];

export const LIST_NOT_MODIFIED = ApiResponse({ status: 304, ...unchanged(LIST_HEADERS) });

export const READING = [IF_NONE_MATCH, NOT_MODIFIED, MISSING];

/** The decorators that every operation has. @param rules the rules that apply to all operations of this kind */
export function operation(
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

export const withBody = (
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

interface PagesText {
  /** Plural of the listed records, such as `Deliveries`. */
  plural: string;
  max: number;
  default: number;
}

/** The parameters of a list that is always paginated. */
export const PageQueries = ({ plural, max, default: size }: PagesText) =>
  applyDecorators(
    ApiQuery({
      name: 'page',
      required: false,
      description: 'Page to return, starting at 1.',
      schema: { type: 'integer', minimum: 1, default: 1 },
    }),
    ApiQuery({
      name: 'per_page',
      required: false,
      description: `${plural} per page, up to ${max}.`,
      schema: { type: 'integer', minimum: 1, maximum: max, default: size },
    }),
  );

/** The response of a list that is always paginated, with its parameters. */
export const PagedList = (record: { new (): object; readonly example: object }, pages: PagesText) =>
  applyDecorators(
    ApiExtraModels(record),
    ApiResponse({
      status: 200,
      description: 'One page.',
      headers: headersNamed(LIST_HEADERS),
      content: {
        'application/json': {
          schema: { type: 'array', items: { $ref: getSchemaPath(record) } },
          example: [record.example],
        },
      },
    }),
    PageQueries(pages),
    IF_NONE_MATCH,
    LIST_NOT_MODIFIED,
  );

/* Describes idempotency keys and dry runs. */

const IDEMPOTENCY_KEY = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description:
    'A key of your choice. If the same user repeats the request with the same key, path and body within 24 hours, the request is not executed again, and the first response is returned. Dry runs ignore the key.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
});

/**
 * The header that makes a request safe to retry, and the response to a retry that arrives while the first request is
 * still running.
 */
export const REPEATABLE = [IDEMPOTENCY_KEY, UNDER_WAY];

export const DRY_RUN = ApiQuery({
  name: 'dry_run',
  required: false,
  description:
    '`1` or `true`: run all checks and return the response that the write would have, with `X-Dry-Run: true`, but store nothing. The response has no ETag and no Location, and ids of new records are null.',
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
});

/** A field that is null because nothing was stored. */
export const Unstored = (): PropertyDecorator =>
  ApiProperty({ type: 'null', description: 'Null, because a dry run stores nothing.' });

/** The dry-run form of a record that lacks only its id. */
export function formWithoutId(record: Described): Described {
  @ApiSchema({
    description: 'The record in a dry run. It has no id, because nothing is stored.',
  })
  class DryRunRecord extends OmitType(record as Type<{ id: number }>, ['id']) {
    @Unstored()
    id: null;

    static readonly example = { ...(record.example as object), id: null };
  }
  Object.defineProperty(DryRunRecord, 'name', { value: `DryRun${record.name}` });
  return DryRunRecord;
}
