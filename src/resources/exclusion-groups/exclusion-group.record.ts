import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import {
  CreatedAt,
  DescribedRecord,
  NameField,
  DescribingFields,
  UpdatedAt,
} from '../../common/validation/record-fields';
import type { ExclusionGroup } from './exclusion-group.entity';

@ApiSchema({
  description: 'Exclusion group fields that can be changed. Absent fields stay unchanged.',
})
export class UpdateExclusionGroup extends DescribingFields {
  static readonly example: object = { description: 'Checkout funnel experiments' };
}

@ApiSchema({ description: 'A new exclusion group. Only the name is required.' })
export class CreateExclusionGroup extends UpdateExclusionGroup {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Checkout' };
}

@ApiSchema({ description: 'A group of experiments. A visitor takes part in at most one of them.' })
export class ExclusionGroupRecord extends DescribedRecord {
  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: ExclusionGroupRecord = {
    id: 1,
    project_id: 1,
    name: 'Checkout',
    api_name: 'checkout',
    description: null,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toExclusionGroupRecord(row: ExclusionGroup): ExclusionGroupRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    api_name: row.api_name,
    description: row.description,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
