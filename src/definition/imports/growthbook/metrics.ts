import { apiNameFrom } from '../../../common/text/names';
import { type Json, NoEquivalent, numberIn, objectIn, textIn, textOrNullIn } from '../export-values';
import { ImportPlan, PlannedGoal } from '../import-plan';

type Measure = Pick<PlannedGoal, 'counting' | 'value_type'>;

const MEASURES: Readonly<Record<string, Measure>> = {
  binomial: { counting: 'unique', value_type: 'none' },
  count: { counting: 'every', value_type: 'none' },
  duration: { counting: 'unique', value_type: 'number' },
  revenue: { counting: 'unique', value_type: 'revenue' },
};

/** Hours of the units of conversion windows. */
const HOURS: Readonly<Record<string, number>> = { hours: 1, days: 24, weeks: 168 };

/** Adds the goal of a metric. @returns its api_name @throws NoEquivalent */
export function addMetric(plan: ImportPlan, metric: Json): string {
  if (metric.archived === true) {
    throw new NoEquivalent('It is archived.');
  }
  const name = textIn(metric, 'name', 'id');
  const behavior = objectIn(metric, 'behavior');
  const measure = MEASURES[textIn(metric, 'type')];
  if (measure === undefined) {
    throw new NoEquivalent(`Goals cannot measure the type ${textIn(metric, 'type') || 'of a fact metric'}.`);
  }
  const goal: PlannedGoal = {
    name,
    api_name: apiNameFrom(name, 'goal'),
    description: textOrNullIn(metric, 'description'),
    type: 'custom',
    ...measure,
    direction: behavior.goal === 'decrease' ? 'decrease' : 'increase',
    ...capOf(plan, name, measure, objectIn(behavior, 'cappingSettings')),
    ...windowOf(plan, name, objectIn(behavior, 'windowSettings')),
  };
  plan.addGoal(goal);
  return goal.api_name;
}

function capOf(plan: ImportPlan, name: string, { value_type }: Measure, capping: Json): object {
  const type = textIn(capping, 'type') || 'none';
  const cap = numberIn(capping, 'value', 0);
  if (type === 'none') {
    return {};
  }
  if (type !== 'absolute' || value_type === 'none' || cap <= 0) {
    plan.skip('goal', name, 'Goals with a value can have an absolute cap.', `capping (${type})`);
    return {};
  }
  return { value_cap: cap };
}

function windowOf(plan: ImportPlan, name: string, window: Json): object {
  const type = textIn(window, 'type') || 'none';
  if (type === 'none') {
    return {};
  }
  const days = (numberIn(window, 'windowValue', 0) * (HOURS[textIn(window, 'windowUnit')] ?? 0)) / 24;
  if (
    type !== 'conversion' ||
    numberIn(window, 'delayValue', 0) !== 0 ||
    !Number.isInteger(days) ||
    days < 1
  ) {
    const reason = 'Goals can have a conversion window of whole days without a delay.';
    plan.skip('goal', name, reason, `window (${type})`);
    return {};
  }
  return { conversion_window_days: days };
}
