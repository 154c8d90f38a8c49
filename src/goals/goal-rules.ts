import type { Failures } from '../common/validation/failures';
import type { Goal } from './goal.entity';

export type GoalShape = Pick<Goal, 'type' | 'selector' | 'page_id' | 'value_type'>;

/** What a goal of each type needs and what only another type has. Fields that were refused already are left alone. */
export function checkGoalShape(goal: GoalShape, failures: Failures): void {
  const rules: [field: keyof GoalShape, isWrong: boolean, message: string][] = [
    ['page_id', goal.type === 'pageview' && goal.page_id === null, 'A pageview goal needs a page_id.'],
    ['page_id', goal.type !== 'pageview' && goal.page_id !== null, `A ${goal.type} goal has no page_id.`],
    ['selector', goal.type === 'click' && goal.selector === null, 'A click goal needs a selector.'],
    ['selector', goal.type !== 'click' && goal.selector !== null, `A ${goal.type} goal has no selector.`],
    [
      'value_type',
      goal.type !== 'custom' && goal.value_type !== 'none',
      'Only a custom goal can have values; the value type must be none.',
    ],
  ];
  for (const [field, isWrong, message] of rules) {
    if (isWrong && !failures.has(field) && !failures.has('type')) {
      failures.add(field, message);
    }
  }
}
