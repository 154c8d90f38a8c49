import type { Failures } from '../../common/validation/failures';
import type { RuleContext } from '../../projects/resources/resource';
import type { Goal } from './goal.entity';
import { hasConversions } from './goal.store';

export type GoalShape = Pick<Goal, 'type' | 'selector' | 'page_id' | 'value_type' | 'value_cap'>;

/**
 * Checks the required and disallowed fields of each goal type. Fields with an earlier error are skipped. Messages do
 * not name `page_id`, because definitions call it `page`.
 */
export function checkGoalShape(goal: GoalShape, failures: Failures): void {
  const [isView, isClick] = [goal.type === 'pageview', goal.type === 'click'];
  const rules: [field: keyof GoalShape, isWrong: boolean, message: string][] = [
    ['page_id', isView && goal.page_id === null, 'The page field is required for pageview goals.'],
    ['page_id', !isView && goal.page_id !== null, 'The page is for pageview goals only.'],
    ['selector', isClick && goal.selector === null, 'The selector field is required for click goals.'],
    ['selector', !isClick && goal.selector !== null, 'The selector is for click goals only.'],
    [
      'value_type',
      goal.type !== 'custom' && goal.value_type !== 'none',
      'The value type must be none: only custom goals can have values.',
    ],
    [
      'value_cap',
      goal.value_type === 'none' && goal.value_cap !== null,
      'The value cap must be null for goals without values.',
    ],
  ];
  for (const [field, isWrong, message] of rules) {
    if (isWrong && !failures.has(field) && !failures.has('type')) {
      failures.add(field, message);
    }
  }
}

/** Once there are conversions, rejects changes to the fields that define a conversion. */
export async function checkConversionsKept(
  current: Goal,
  fields: Partial<Goal>,
  { manager, failures }: RuleContext,
): Promise<void> {
  const changed = (['type', 'value_type'] as const).filter(
    (field) => fields[field] !== undefined && fields[field] !== current[field],
  );
  if (changed.length > 0 && (await hasConversions(manager, current.id))) {
    for (const field of changed) {
      failures.add(field, `The ${field} cannot change once the goal has conversions.`);
    }
  }
}
