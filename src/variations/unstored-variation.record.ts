import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/safe-retries';
import { VariationRecord } from './variation.record';

/** A variation in the response of a dry run. */
@ApiSchema({ description: 'A variation in a dry run, without id and preview link.' })
export class DryRunVariationRecord extends OmitType(VariationRecord, ['id', 'experiment_id', 'preview_url']) {
  @Unstored()
  id: null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'Null if the same dry run creates the experiment.',
  })
  experiment_id: number | null;

  @Unstored()
  preview_url: null;

  static readonly example: DryRunVariationRecord = toUnstoredVariation(VariationRecord.example);
}

export function toUnstoredVariation(record: VariationRecord): DryRunVariationRecord {
  return { ...record, id: null, preview_url: null };
}
