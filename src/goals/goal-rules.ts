import type { Failures } from '../common/validation/failures';
import type { RuleContext } from '../projects/resources/resource';
import type { Goal } from './goal.entity';
import { hasConversions, hasPage } from './goal.store';

export type GoalShape = Pick<Goal, 'type' | 'selector' | 'page_id' | 'value_type' | 'value_cap'>;

/**
 * Required and disallowed fields of each goal type. Fields with an earlier error are skipped. Messages do not name
 * `page_id`, because it is `page` in definitions.
 */
export function checkGoalShape(goal: GoalShape, failures: Failures): void {
  const rules: [field: keyof GoalShape, isWrong: boolean, message: string][] = [
    ['page_id', goal.type === 'pageview' && goal.page_id === null, 'A pageview goal needs a page.'],
    ['page_id', goal.type !== 'pageview' && goal.page_id !== null, `A ${goal.type} goal has no page.`],
    ['selector', goal.type === 'click' && goal.selector === null, 'A click goal needs a selector.'],
    ['selector', goal.type !== 'click' && goal.selector !== null, `A ${goal.type} goal has no selector.`],
    [
      'value_type',
      goal.type !== 'custom' && goal.value_type !== 'none',
      'Only a custom goal can have values; the value type must be none.',
    ],
    [
      'value_cap',
      goal.value_type === 'none' && goal.value_cap !== null,
      'A goal without values has no value cap; the value type is none.',
    ],
  ];
  for (const [field, isWrong, message] of rules) {
    if (isWrong && !failures.has(field) && !failures.has('type')) {
      failures.add(field, message);
    }
  }
}

/** The page of a goal must belong to the project. A page with an earlier error is skipped. */
export async function checkGoalPage(
  pageId: number | null,
  { manager, projectId, failures }: RuleContext,
): Promise<void> {
  if (pageId === null || failures.has('page_id')) {
    return;
  }
  if (!(await hasPage(manager, projectId, pageId))) {
    failures.add('page_id', `The project has no page ${pageId}.`);
  }
}

/** The fields that determine what a conversion is cannot change once there are conversions. */
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
