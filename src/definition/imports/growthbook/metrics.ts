import { isObject } from '../../../common/validation/values';
import { MAX_WINDOW_DAYS } from '../../../resources/goals/goal.record';
import { type Json, NoEquivalent, numberIn, objectIn, textIn, textOrNullIn } from '../export-values';
import { ImportPlan, PlannedGoal } from '../import-plan';

type Measure = Pick<PlannedGoal, 'counting' | 'value_type'>;

const CONVERSION: Measure = { counting: 'unique', value_type: 'none' };
const COUNT: Measure = { counting: 'every', value_type: 'none' };

/** Goals with values add up the values of each participant. */
const totalOf = (type: string): Measure => ({
  counting: 'unique',
  value_type: type === 'revenue' ? 'revenue' : 'number',
});

const TYPES = ['binomial', 'count', 'duration', 'revenue'];

/** Hours per unit of conversion windows. */
const HOURS: Readonly<Record<string, number>> = { hours: 1, days: 24, weeks: 168 };

/** Adds the goal for a metric. @returns its api_name in the plan @throws NoEquivalent */
export function addMetric(plan: ImportPlan, metric: Json): string {
  if (metric.archived === true) {
    throw new NoEquivalent('It is archived.');
  }
  const name = textIn(metric, 'name', 'id');
  const behavior = objectIn(metric, 'behavior');
  const type = textIn(metric, 'type');
  const measure = measureOf(metric, type);
  const apiName = plan.addNamedGoal({
    name,
    description: textOrNullIn(metric, 'description'),
    type: 'custom',
    ...measure,
    direction: behavior.goal === 'decrease' ? 'decrease' : 'increase',
    ...capOf(plan, name, measure, cappingOf(behavior)),
    ...windowOf(plan, name, windowSettingsOf(behavior)),
  });
  if (type === 'count' && measure.value_type !== 'none') {
    plan.skip('goal', name, 'The metric adds up a value. Send it with the events of the goal.', 'value');
  }
  return apiName;
}

/**
 * How a metric combines the events of a participant.
 * @throws NoEquivalent if goals cannot combine them in the same way
 */
function measureOf(metric: Json, type: string): Measure {
  if (!TYPES.includes(type)) {
    throw new NoEquivalent(
      type === '' ? 'Goals cannot measure fact metrics.' : `Goals cannot measure the metric type ${type}.`,
    );
  }
  const [sql, mixpanel] = [objectIn(metric, 'sql'), objectIn(metric, 'mixpanel')];
  if (textIn(sql, 'denominatorMetricId') !== '') {
    throw new NoEquivalent('It has a denominator. Goals cannot measure ratios.');
  }
  if (type === 'binomial') {
    return CONVERSION;
  }
  const builder = metric.sqlBuilder ?? sql.builder;
  if (isObject(builder)) {
    return ofBuilder(type, builder);
  }
  if (textIn(mixpanel, 'userAggregation') !== '') {
    return ofMixpanel(type, mixpanel);
  }
  return textIn(sql, 'conversionSQL') === '' ? ofType(type) : ofSql(type, sql);
}

const ofType = (type: string): Measure => (type === 'count' ? COUNT : totalOf(type));

/** The query builder ignores the aggregation: it counts rows or distinct values, or takes the largest value. */
function ofBuilder(type: string, builder: Json): Measure {
  if (type === 'count' && textIn(builder, 'valueColumnName') === '') {
    return COUNT;
  }
  throw unlikeGoals(type === 'count' ? 'COUNT(DISTINCT value)' : 'MAX(value)');
}

function ofMixpanel(type: string, mixpanel: Json): Measure {
  const aggregation = textIn(mixpanel, 'userAggregation');
  if (aggregation.replace(/\s/g, '') !== 'sum(values)') {
    throw unlikeGoals(aggregation);
  }
  return textIn(mixpanel, 'eventValue') === '' ? ofType(type) : totalOf(type);
}

function ofSql(type: string, sql: Json): Measure {
  const aggregation = textIn(sql, 'userAggregationSQL') || 'SUM(value)';
  const normalized = aggregation
    .toLowerCase()
    .replace(/\s|\bm\./g, '')
    .replace('coalesce(value,0)', 'value');
  switch (normalized) {
    case '1':
      return CONVERSION;
    case 'count(*)':
    case 'count(1)':
    case 'sum(1)':
    case 'count(value)':
      return COUNT;
    case 'sum(value)':
      return type === 'count' && selectsOne(textIn(sql, 'conversionSQL')) ? COUNT : totalOf(type);
    default:
      throw unlikeGoals(aggregation);
  }
}

const unlikeGoals = (aggregation: string): NoEquivalent =>
  new NoEquivalent(`Goals cannot compute ${aggregation} for each participant.`);

/** Whether each value that the query selects is the constant 1, so that their sum is the number of rows. */
function selectsOne(query: string): boolean {
  const matches = (pattern: RegExp): number => query.match(pattern)?.length ?? 0;
  const values = matches(/\bas\s+["'`]?value\b/gi);
  return values > 0 && values === matches(/(?:,|\bselect)\s*1\s+as\s+["'`]?value\b/gi);
}

/** The capping of a metric, also from versions of the API with separate fields. */
function cappingOf(behavior: Json): Json {
  return isObject(behavior.cappingSettings)
    ? behavior.cappingSettings
    : {
        type: textIn(behavior, 'capping') || (numberIn(behavior, 'cap', 0) > 0 ? 'absolute' : 'none'),
        value: numberIn(behavior, 'capValue', numberIn(behavior, 'cap', 0)),
      };
}

function capOf(plan: ImportPlan, name: string, { value_type }: Measure, capping: Json): object {
  const type = textIn(capping, 'type') || 'none';
  const cap = numberIn(capping, 'value', 0);
  if (type === 'none') {
    return {};
  }
  if (type !== 'absolute' || value_type === 'none' || cap <= 0) {
    plan.skip('goal', name, 'A cap must be absolute, and the goal must have values.', `capping (${type})`);
    return {};
  }
  return { value_cap: cap };
}

/** The window of a metric, also from versions of the API with separate fields, which are in hours. */
function windowSettingsOf(behavior: Json): Json {
  if (isObject(behavior.windowSettings)) {
    return behavior.windowSettings;
  }
  const start = numberIn(behavior, 'conversionWindowStart', 0);
  const end = numberIn(behavior, 'conversionWindowEnd', NaN);
  return {
    type: Number.isNaN(end) ? 'none' : 'conversion',
    delayValue: start,
    windowValue: end - start,
    windowUnit: 'hours',
  };
}

function windowOf(plan: ImportPlan, name: string, window: Json): object {
  const type = textIn(window, 'type') || 'none';
  const delay = numberIn(window, 'delayValue', numberIn(window, 'delayHours', 0));
  if (type === 'none' && delay === 0) {
    return {};
  }
  const days = (numberIn(window, 'windowValue', 0) * (HOURS[textIn(window, 'windowUnit')] ?? 0)) / 24;
  const isWindow = Number.isInteger(days) && days >= 1 && days <= MAX_WINDOW_DAYS;
  if (type !== 'conversion' || delay !== 0 || !isWindow) {
    const reason = `A conversion window must be a number of whole days from 1 to ${MAX_WINDOW_DAYS}, without a delay.`;
    plan.skip('goal', name, reason, `window (${type})`);
    return {};
  }
  return { conversion_window_days: days };
}
