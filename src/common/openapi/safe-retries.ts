import { Type } from '@nestjs/common';
import { ApiHeader, ApiProperty, ApiQuery, ApiSchema, OmitType } from '@nestjs/swagger';
import type { Described } from './responses';

/* What the reference says about repeating a write safely, and about trying one out. */

export const IDEMPOTENCY_KEY = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description:
    'Chosen by the client. The same key with the same path and body, sent again by the same user within 24 hours, does nothing a second time and gets the first answer again. Dry runs ignore it.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
});

export const DRY_RUN = ApiQuery({
  name: 'dry_run',
  required: false,
  description:
    '`1` or `true`: check everything and answer as the write would, with `X-Dry-Run: true`, but store nothing. What only storing gives is left out: ETag and Location; ids of records that would be made are null.',
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
});

/** A field that is null because nothing was stored. */
export const Unstored = (): PropertyDecorator =>
  ApiProperty({ type: 'null', description: 'Given when the record is stored.' });

/** The form of a record in a dry run of making it, where storing gives nothing but the id. */
export function formWithoutId(record: Described): Described {
  @ApiSchema({
    description: 'The record as a dry run would make it: without its id, which only storing gives.',
  })
  class DryRunRecord extends OmitType(record as Type<{ id: number }>, ['id']) {
    @Unstored()
    id: null;

    static readonly example = { ...(record.example as object), id: null };
  }
  Object.defineProperty(DryRunRecord, 'name', { value: `DryRun${record.name}` });
  return DryRunRecord;
}
