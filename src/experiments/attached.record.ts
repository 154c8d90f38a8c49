import { Output } from '../common/validation/fields';
import { GOAL_TYPES } from '../resources/goals/goal.entity';

/** Something attached to an experiment. */
export interface AttachedItem {
  id: number;
  name: string;
}

export interface AttachedGoal extends AttachedItem {
  api_name: string;
  type: string;
}

const item = {
  id: { type: 'integer', minimum: 1, description: 'Id of the attached record.' },
  name: { type: 'string', description: 'Name of the attached record.' },
} as const;

/** A list of attached records. */
export const Attached = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: { type: 'object', properties: item, required: ['id', 'name'] },
    description,
  });

/** A list of attached goals. */
export const AttachedGoals = (description: string): PropertyDecorator =>
  Output({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        ...item,
        api_name: { type: 'string', description: 'Name of its events.' },
        type: { type: 'string', enum: [...GOAL_TYPES], description: 'Type of the goal.' },
      },
      required: ['id', 'name', 'api_name', 'type'],
    },
    description,
  });
