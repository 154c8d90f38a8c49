import { ApiSchema } from '@nestjs/swagger';
import {
  AmountField,
  FlagField,
  IdField,
  IntegerField,
  OneOfField,
} from '../../common/validation/body-fields';
import { checkSelector } from '../../common/validation/code';
import { ConstrainedField } from '../../common/validation/fields';
import { ApiNameField, DescriptionField, NameField } from '../../common/validation/record-fields';
import { parsingRules, Rule, textRules } from '../../common/validation/rules';
import { MAX_VALUE } from '../../common/limits';
import { COUNTINGS, DIRECTIONS, Goal, GOAL_TYPES, VALUE_TYPES } from './goal.entity';
import {
  CONVERSION_WINDOW_DAYS,
  COUNTING,
  DIRECTION,
  TRUSTED_ONLY,
  TYPE,
  VALUE_CAP,
  VALUE_TYPE,
} from './goal.record';

const MAX_SELECTOR = 2_048;
const MAX_WINDOW_DAYS = 365;

const SELECTOR: readonly Rule[] = [...textRules(MAX_SELECTOR, 1), ...parsingRules(checkSelector)];

const SelectorField = (): PropertyDecorator =>
  ConstrainedField(
    SELECTOR,
    { type: 'string', maxLength: MAX_SELECTOR, description: 'CSS selector. Required for click goals.' },
    { nullable: true },
  );

@ApiSchema({ description: 'The fields of a goal that may be changed. Absent fields stay unchanged.' })
export class UpdateGoal {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @DescriptionField()
  description?: string | null;

  @OneOfField(GOAL_TYPES, { default: 'custom', description: TYPE })
  type?: Goal['type'];

  @SelectorField()
  selector?: string | null;

  @IdField({ description: 'A page of the project; pageview goals need one.', nullable: true })
  page_id?: number | null;

  @OneOfField(VALUE_TYPES, { default: 'none', description: VALUE_TYPE })
  value_type?: Goal['value_type'];

  @OneOfField(DIRECTIONS, { default: 'increase', description: DIRECTION })
  direction?: Goal['direction'];

  @OneOfField(COUNTINGS, { default: 'unique', description: COUNTING })
  counting?: Goal['counting'];

  @FlagField({ default: false, description: TRUSTED_ONLY })
  trusted_only?: boolean;

  @IntegerField(1, MAX_WINDOW_DAYS, {
    default: null,
    description: CONVERSION_WINDOW_DAYS,
    nullable: true,
  })
  conversion_window_days?: number | null;

  @AmountField(MAX_VALUE, { default: null, description: VALUE_CAP, nullable: true })
  value_cap?: number | null;

  static readonly example: object = { direction: 'decrease' };
}

@ApiSchema({ description: 'A new goal. Only the name is required.' })
export class CreateGoal extends UpdateGoal {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = { name: 'Order placed', value_type: 'revenue' };
}
