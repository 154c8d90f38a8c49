import { ApiSchema } from '@nestjs/swagger';
import { ApiNameField, DescriptionField, NameField } from '../../common/validation/record-fields';

@ApiSchema({
  description: 'The fields of an exclusion group that may be changed. Absent fields stay unchanged.',
})
export class UpdateExclusionGroup {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  static readonly example: object = { description: 'Experiments on the way to the order' };
}

@ApiSchema({ description: 'A new exclusion group. Only the name is required.' })
export class CreateExclusionGroup extends UpdateExclusionGroup {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Checkout' };
}
