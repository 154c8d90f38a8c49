import { ApiSchema } from '@nestjs/swagger';
import { integer, MAX_ID, oneOf, text } from '../common/validation/checks';
import { checkSelector } from '../common/validation/code';
import { Field, FieldCheck } from '../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../common/validation/record-fields';
import { DIRECTIONS, Goal, GOAL_TYPES, VALUE_TYPES } from './goal.entity';
import { DIRECTION, TYPE, VALUE_TYPE } from './goal.record';

const MAX_SELECTOR = 2_048;

const selector: FieldCheck = (value, label) =>
  text(MAX_SELECTOR, 1)(value, label) ?? checkSelector(value as string);

const TypeField = (): PropertyDecorator =>
  Field(oneOf(GOAL_TYPES), { type: 'string', enum: GOAL_TYPES, default: 'custom', description: TYPE });

const SelectorField = (): PropertyDecorator =>
  Field(
    selector,
    { type: 'string', maxLength: MAX_SELECTOR, description: 'CSS selector; click goals need one.' },
    { nullable: true },
  );

const PageIdField = (): PropertyDecorator =>
  Field(
    integer(1, MAX_ID),
    { type: 'integer', minimum: 1, description: 'A page of the project; pageview goals need one.' },
    { nullable: true },
  );

const ValueTypeField = (): PropertyDecorator =>
  Field(oneOf(VALUE_TYPES), { type: 'string', enum: VALUE_TYPES, default: 'none', description: VALUE_TYPE });

const DirectionField = (): PropertyDecorator =>
  Field(oneOf(DIRECTIONS), { type: 'string', enum: DIRECTIONS, default: 'increase', description: DIRECTION });

@ApiSchema({ description: 'The fields of a goal that may be changed; absent ones stay as they are.' })
export class UpdateGoal {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @TypeField()
  type?: Goal['type'];

  @SelectorField()
  selector?: string | null;

  @PageIdField()
  page_id?: number | null;

  @ValueTypeField()
  value_type?: Goal['value_type'];

  @DirectionField()
  direction?: Goal['direction'];

  static readonly example: object = { direction: 'decrease' };
}

@ApiSchema({ description: 'A new goal. Only the name is required.' })
export class CreateGoal extends UpdateGoal {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Order placed', value_type: 'revenue' };
}
