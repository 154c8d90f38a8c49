import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Field } from '../common/validation/fields';
import { DescriptionField, NameField } from '../common/validation/record-fields';
import { checkConditionTree, ConditionTree } from './condition-tree';

const CONDITIONS = {
  oneOf: [{ type: 'array', items: {} }, { type: 'object' }, { type: 'null' }],
  description:
    'Tree of `["and" | "or" | "not", ...]` over leaves `{type, name?, match?, value?}`; empty or null = everyone. At most 100 leaves and 10 levels.',
} as ApiPropertyOptions;

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkConditionTree(value), CONDITIONS, { nullable: true });

export class UpdateAudience {
  @NameField()
  name?: string;

  @DescriptionField()
  description?: string | null;

  @ConditionsField()
  conditions?: ConditionTree | null;

  static readonly example: object = { description: 'Phones and tablets' };
}

export class CreateAudience extends UpdateAudience {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Mobile visitors',
    conditions: ['and', { type: 'device', match: 'in', value: ['mobile', 'tablet'] }],
  };
}
