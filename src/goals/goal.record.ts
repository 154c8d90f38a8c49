import { ApiSchema } from '@nestjs/swagger';
import { formatMicros } from '../common/time/clock';
import { Output } from '../common/validation/fields';
import { ApiName, CreatedAt, Description, Id, Name, UpdatedAt } from '../common/validation/record-fields';
import { DIRECTIONS, Goal, GOAL_TYPES, VALUE_TYPES } from './goal.entity';

/* What the reference says of the fields, in requests and answers. */
export const TYPE =
  'What counts: `custom` events that are sent with its `api_name`, `pageview`s of a page, or `click`s on elements. Fixed once there are conversions.';
export const VALUE_TYPE =
  'What comes with a conversion of a custom goal: nothing, a `number`, or `revenue`. Fixed once there are conversions.';
export const DIRECTION = 'Which way is better: a goal such as returns of goods should `decrease`.';

@ApiSchema({ description: 'What is measured: something that visitors do, and which way is better.' })
export class GoalRecord {
  @Id()
  id: number;

  @Id('The project that it belongs to.')
  project_id: number;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Description()
  description: string | null;

  @Output({ type: 'string', enum: GOAL_TYPES, description: TYPE })
  type: Goal['type'];

  @Output({ type: 'string', nullable: true, description: 'Elements whose clicks count; click goals only.' })
  selector: string | null;

  @Output({ type: 'integer', nullable: true, description: 'Page whose views count; pageview goals only.' })
  page_id: number | null;

  @Output({ type: 'string', enum: VALUE_TYPES, description: VALUE_TYPE })
  value_type: Goal['value_type'];

  @Output({ type: 'string', enum: DIRECTIONS, description: DIRECTION })
  direction: Goal['direction'];

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
    created_at: formatMicros(row.created_at),
    updated_at: formatMicros(row.updated_at),
  };
}
