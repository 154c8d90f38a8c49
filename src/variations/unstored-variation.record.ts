import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/safe-retries';
import { VariationRecord } from './variation.record';

/** A variation as a dry run of making it shows it. */
@ApiSchema({ description: 'A variation as a dry run would make it: without what only storing gives.' })
export class DryRunVariationRecord extends OmitType(VariationRecord, ['id', 'experiment_id', 'preview_url']) {
  @Unstored()
  id: null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'Null when the experiment would be made together with it.',
  })
  experiment_id: number | null;

  @Unstored()
  preview_url: null;

  static readonly example: DryRunVariationRecord = toUnstoredVariation(VariationRecord.example);
}

export function toUnstoredVariation(record: VariationRecord): DryRunVariationRecord {
  return { ...record, id: null, preview_url: null };
}
