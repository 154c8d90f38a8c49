import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import { Field, Output } from '../../common/validation/fields';
import {
  CreatedAt,
  DescribedRecord,
  NameField,
  DescribingFields,
  UpdatedAt,
} from '../../common/validation/record-fields';
import type { Audience } from './audience.entity';
import { CONDITIONS } from './conditions.reference';
import { checkConditionTree, ConditionTree } from './condition-tree';

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkConditionTree(value), CONDITIONS, { nullable: true });

@ApiSchema({ description: 'Audience fields that can be changed. Absent fields stay unchanged.' })
export class UpdateAudience extends DescribingFields {
  @ConditionsField()
  conditions?: ConditionTree | null;

  static readonly example: object = { description: 'Phones and tablets' };
}

@ApiSchema({ description: 'A new audience. Only the name is required.' })
export class CreateAudience extends UpdateAudience {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Mobile visitors',
    conditions: ['and', { type: 'device', match: 'in', value: ['mobile', 'tablet'] }],
  };
}

@ApiSchema({ description: 'The visitors who may take part in an experiment, defined by conditions.' })
export class AudienceRecord extends DescribedRecord {
  @Output(CONDITIONS)
  conditions: ConditionTree | null;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: AudienceRecord = {
    id: 1,
    project_id: 1,
    name: 'Mobile visitors',
    api_name: 'mobile-visitors',
    description: null,
    conditions: ['and', { type: 'device', match: 'in', value: ['mobile', 'tablet'] }],
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toAudienceRecord(row: Audience): AudienceRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    api_name: row.api_name,
    description: row.description,
    conditions: row.conditions,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
