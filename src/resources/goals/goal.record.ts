import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../../common/time/clock';
import { Output } from '../../common/validation/fields';
import { ApiName, CreatedAt, Description, Id, Name, UpdatedAt } from '../../common/validation/record-fields';
import { MAX_VALUE } from '../../common/limits';
import { COUNTINGS, DIRECTIONS, Goal, GOAL_TYPES, VALUE_TYPES } from './goal.entity';

/* Descriptions of fields that requests and responses share. */
export const TYPE =
  "`custom` events with the goal's `api_name`, `pageview`s of a page, or `click`s on elements. Cannot change after the first conversion.";
export const VALUE_TYPE = 'Value of a conversion of a custom goal. Cannot change after the first conversion.';
export const DIRECTION = 'Which change is better. A goal such as product returns should `decrease`.';
export const COUNTING = '`unique` counts participants who converted, `every` counts conversions.';
export const TRUSTED_ONLY =
  'Reject conversions sent with the public client key. Visitors could forge them. Back ends send them with an API token.';
export const CONVERSION_WINDOW_DAYS =
  'Conversion window in UTC days after the day of the first exposure. Null: no limit.';
export const VALUE_CAP = "Cap of a participant's total value. For goals with values. Null: no cap.";

@ApiSchema({
  description: 'What is measured: an action of visitors, and whether an increase or a decrease is better.',
})
export class GoalRecord {
  @Id()
  id: number;

  @Id('Id of the project.')
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Description()
  description: string | null;

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
    maximum: 365,
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
