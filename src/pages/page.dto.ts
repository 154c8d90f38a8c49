import { ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { oneOf } from '../common/validation/checks';
import { Field } from '../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../common/validation/record-fields';
import { ACTIVATIONS } from './page.entity';
import { checkPageConditions, PageCondition } from './page-conditions';
import { ACTIVATION, CONDITION_INPUT } from './page.record';

const CONDITIONS: ApiPropertyOptions = {
  type: 'array',
  items: CONDITION_INPUT,
  maxItems: 100,
  description:
    'Up to 100. The page matches when at least one without `negate` matches and none with it does. Empty or null = every page.',
};

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkPageConditions(value), CONDITIONS, { nullable: true });

const ActivationField = (): PropertyDecorator =>
  Field(oneOf(ACTIVATIONS), {
    type: 'string',
    enum: ACTIVATIONS,
    default: 'immediate',
    description: ACTIVATION,
  });

@ApiSchema({ description: 'The fields of a page that may be changed; absent ones stay as they are.' })
export class UpdatePage {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @ConditionsField()
  conditions?: PageCondition[] | null;

  @ActivationField()
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
