import { ApiExtraModels, ApiProperty, ApiSchema, OmitType, getSchemaPath } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/operation';
import { DryRunVariationRecord, toUnstoredVariation } from './variations/variation.record';
import { ExperimentRecord } from './experiment.record';

/** An experiment in the response to a dry run. */
@ApiExtraModels(DryRunVariationRecord)
@ApiSchema({ description: 'An experiment in a dry run, without ids and preview links.' })
export class DryRunExperimentRecord extends OmitType(ExperimentRecord, ['id', 'variations']) {
  @Unstored()
  id: null;

  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(DryRunVariationRecord) },
    description: 'The variations in the request.',
  })
  variations: DryRunVariationRecord[];

  static readonly example: DryRunExperimentRecord = toUnstoredExperiment(ExperimentRecord.example);
}

/** @param record the record of the new experiment */
export function toUnstoredExperiment(record: ExperimentRecord): DryRunExperimentRecord {
  const variations = record.variations.map((variation) => ({
    ...toUnstoredVariation(variation),
    experiment_id: null,
  }));
  return { ...record, id: null, variations };
}
