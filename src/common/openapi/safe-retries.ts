import { Type } from '@nestjs/common';
import { ApiHeader, ApiProperty, ApiQuery, ApiSchema, OmitType } from '@nestjs/swagger';
import { Described, UNDER_WAY } from './responses';

/* Idempotency keys and dry runs in the reference. */

const IDEMPOTENCY_KEY = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description:
    'A key of your choice. If the same user repeats the request with the same key, path and body within 24 hours, it is not executed again and gets the first response. Dry runs ignore the key.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
});

/** The key that makes a request safe to repeat, and the response while the first one is running. */
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

/** The form of a record in a dry run, if only the id is missing there. */
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
