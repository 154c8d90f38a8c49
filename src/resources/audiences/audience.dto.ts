import { ApiSchema } from '@nestjs/swagger';
import { Field } from '../../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../../common/validation/record-fields';
import { checkConditionTree, ConditionTree } from './condition-tree';
import { CONDITIONS } from './conditions.reference';

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkConditionTree(value), CONDITIONS, { nullable: true });

@ApiSchema({ description: 'The fields of an audience that may be changed. Absent fields stay unchanged.' })
export class UpdateAudience {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

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
