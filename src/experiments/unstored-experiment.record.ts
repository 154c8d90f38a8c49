import { ApiExtraModels, ApiProperty, ApiSchema, OmitType, getSchemaPath } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/safe-retries';
import { DryRunVariationRecord, toUnstoredVariation } from '../variations/unstored-variation.record';
import { ExperimentRecord } from './experiment.record';

/** An experiment as a dry run of making it shows it. */
@ApiExtraModels(DryRunVariationRecord)
@ApiSchema({ description: 'An experiment as a dry run would make it: without what only storing gives.' })
export class DryRunExperimentRecord extends OmitType(ExperimentRecord, ['id', 'variations']) {
  @Unstored()
  id: null;

  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(DryRunVariationRecord) },
    description: 'The variations that would be made with it.',
  })
  variations: DryRunVariationRecord[];

  static readonly example: DryRunExperimentRecord = toUnstoredExperiment(ExperimentRecord.example);
}

/** @param record the whole record of an experiment that is made */
export function toUnstoredExperiment(record: ExperimentRecord): DryRunExperimentRecord {
  const variations = record.variations.map((variation) => ({
    ...toUnstoredVariation(variation),
    experiment_id: null,
  }));
  return { ...record, id: null, variations };
}
