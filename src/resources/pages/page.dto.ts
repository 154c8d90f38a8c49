import { ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { OneOfField } from '../../common/validation/body-fields';
import { Field } from '../../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../../common/validation/record-fields';
import { ACTIVATIONS } from './page.entity';
import { checkPageConditions, PageCondition } from './page-conditions';
import { ACTIVATION, CONDITION_INPUT } from './page.record';

const CONDITIONS: ApiPropertyOptions = {
  type: 'array',
  items: CONDITION_INPUT,
  maxItems: 100,
  description:
    'Up to 100 conditions. The page matches if at least one condition without `negate` matches and none with `negate`. An empty list or null matches every URL.',
};

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkPageConditions(value), CONDITIONS, { nullable: true });

@ApiSchema({ description: 'The fields of a page that may be changed. Absent fields stay unchanged.' })
export class UpdatePage {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @ConditionsField()
  conditions?: PageCondition[] | null;

  @OneOfField(ACTIVATIONS, { default: 'immediate', description: ACTIVATION })
  activation?: (typeof ACTIVATIONS)[number];

  static readonly example: object = { activation: 'url_change' };
}

@ApiSchema({ description: 'A new page. Only the name is required.' })
export class CreatePage extends UpdatePage {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Product pages',
    conditions: [{ match: 'starts_with', value: 'https://shop.example.com/products/' }],
  };
}
