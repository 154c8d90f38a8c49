import type { ApiPropertyOptions } from '@nestjs/swagger';
import { oneOf } from '../common/validation/checks';
import { Field } from '../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../common/validation/record-fields';
import { ACTIVATIONS } from './page.entity';
import { checkPageConditions, PageCondition } from './page-conditions';

const CONDITIONS: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'object' },
  maxItems: 100,
  description:
    'Up to 100 of `{match, value, negate}`; the page matches when one without `negate` matches and none with it does. Empty = every page.',
};

const ConditionsField = (): PropertyDecorator =>
  Field((value) => checkPageConditions(value), CONDITIONS, { nullable: true });

const ActivationField = (): PropertyDecorator =>
  Field(oneOf(ACTIVATIONS), { type: 'string', enum: ACTIVATIONS, default: 'immediate' });

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

export class CreatePage extends UpdatePage {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Product pages',
    conditions: [{ match: 'starts_with', value: '/products/' }],
  };
}
