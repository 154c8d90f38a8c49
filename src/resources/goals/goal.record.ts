import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import {
  AmountField,
  FlagField,
  IdField,
  IntegerField,
  OneOfField,
} from '../../common/validation/body-fields';
import { checkSelector } from '../../common/validation/code';
import { ConstrainedField, Output } from '../../common/validation/fields';
import {
  CreatedAt,
  DescribedRecord,
  NameField,
  DescribingFields,
  UpdatedAt,
} from '../../common/validation/record-fields';
import { MAX_VALUE } from '../../common/limits';
import { parsingRules, Rule, textRules } from '../../common/validation/rules';
import { COUNTINGS, DIRECTIONS, Goal, GOAL_TYPES, VALUE_TYPES } from './goal.entity';

/** Maximum conversion window, in days. */
export const MAX_WINDOW_DAYS = 365;

/* Descriptions of fields, shared by requests and responses. */
const TYPE =
  "`custom` events with the goal's `api_name`, `pageview`s of a page, or `click`s on elements. Cannot change after the first conversion.";
const VALUE_TYPE = 'Value of a conversion of a custom goal. Cannot change after the first conversion.';
const DIRECTION = 'Which change is better. A goal such as product returns should `decrease`.';
const COUNTING = '`unique` counts participants who converted; `every` counts conversions.';
const TRUSTED_ONLY =
  'Reject conversions sent with the public client key. Back ends send conversions with an API token.';
const CONVERSION_WINDOW_DAYS =
  'Conversion window in UTC days after the day of the first exposure. Null: no limit.';
const VALUE_CAP = "Cap of a participant's total value. For goals with values only; null means no cap.";

@ApiSchema({
  description: 'What is measured: an action of visitors, and whether an increase or a decrease is better.',
})
export class GoalRecord extends DescribedRecord {
  @Output({ type: 'string', enum: GOAL_TYPES, description: TYPE })
  type: Goal['type'];

  @Output({
    type: 'string',
    nullable: true,
    description: 'CSS selector of the elements whose clicks are counted; click goals only.',
  })
  selector: string | null;

  @Output({
    type: 'integer',
    nullable: true,
    description: 'Id of the page whose views are counted; pageview goals only.',
  })
  page_id: number | null;

  @Output({ type: 'string', enum: VALUE_TYPES, description: VALUE_TYPE })
  value_type: Goal['value_type'];

  @Output({ type: 'string', enum: DIRECTIONS, description: DIRECTION })
  direction: Goal['direction'];

  @Output({ type: 'string', enum: COUNTINGS, description: COUNTING })
  counting: Goal['counting'];

  @Output({ type: 'boolean', description: TRUSTED_ONLY })
  trusted_only: boolean;

  @Output({
    type: 'integer',
    minimum: 1,
    maximum: MAX_WINDOW_DAYS,
    nullable: true,
    description: CONVERSION_WINDOW_DAYS,
  })
  conversion_window_days: number | null;

  @Output({ type: 'number', minimum: 0.0001, maximum: MAX_VALUE, nullable: true, description: VALUE_CAP })
  value_cap: number | null;

  @CreatedAt()
  created_at: string;

  @UpdatedAt()
  updated_at: string;

  static readonly example: GoalRecord = {
    id: 3,
    project_id: 1,
    name: 'Order placed',
    api_name: 'order-placed',
    description: null,
    type: 'custom',
    selector: null,
    page_id: null,
    value_type: 'revenue',
    direction: 'increase',
    counting: 'unique',
    trusted_only: false,
    conversion_window_days: null,
    value_cap: null,
    created_at: '2026-05-01T09:30:00.123000Z',
    updated_at: '2026-05-01T09:30:00.123000Z',
  };
}

export function toGoalRecord(row: Goal): GoalRecord {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    api_name: row.api_name,
    description: row.description,
    type: row.type,
    selector: row.selector,
    page_id: row.page_id,
    value_type: row.value_type,
    direction: row.direction,
    counting: row.counting,
    trusted_only: row.trusted_only,
    conversion_window_days: row.conversion_window_days,
    value_cap: row.value_cap,
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}

const MAX_SELECTOR = 2_048;

const SELECTOR: readonly Rule[] = [...textRules(MAX_SELECTOR, 1), ...parsingRules(checkSelector)];

const SelectorField = (): PropertyDecorator =>
  ConstrainedField(
    SELECTOR,
    { type: 'string', maxLength: MAX_SELECTOR, description: 'CSS selector. Required for click goals.' },
    { nullable: true },
  );

@ApiSchema({ description: 'Goal fields that can be changed. Absent fields stay unchanged.' })
export class UpdateGoal extends DescribingFields {
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
