import type { Json } from '../export-values';
import { readGrowthBook } from './growthbook';

const QUERY = 'SELECT user_id, timestamp, amount AS value FROM orders';

const imported = (metric: Json) => {
  const { goals, notTaken } = readGrowthBook([{ metrics: [{ id: 'met_1', name: 'Metric', ...metric }] }]);
  const [goal] = goals;
  return { goal, lines: notTaken.map(({ part, reason }) => (part === null ? reason : `${part}: ${reason}`)) };
};

/** The counting and value type of the imported goal, or the reason why the metric is not imported. */
const measureOf = (metric: Json): string => {
  const { goal, lines } = imported(metric);
  return goal === undefined ? lines.join() : `${String(goal.counting)} ${String(goal.value_type)}`;
};

const bySql = (type: string, userAggregationSQL: string, conversionSQL = QUERY, more: Json = {}): Json => ({
  type,
  sql: { conversionSQL, userAggregationSQL, denominatorMetricId: '', ...more },
});

describe('metrics in SQL', () => {
  it.each<[string, Json, string]>([
    ['a conversion', bySql('binomial', 'SUM(value)'), 'unique none'],
    ['revenue', bySql('revenue', 'SUM(value)'), 'unique revenue'],
    ['revenue, defaults', bySql('revenue', 'SUM(COALESCE(m.value, 0))'), 'unique revenue'],
    ['a duration', bySql('duration', 'sum( value )'), 'unique number'],
    ['a sum of a column', bySql('count', 'SUM(value)'), 'unique number'],
    [
      'a sum of ones',
      bySql('count', 'SUM(value)', 'SELECT user_id, timestamp, 1 as value FROM t'),
      'every none',
    ],
    [
      'a sum of partly ones',
      bySql('count', 'SUM(value)', `${QUERY} UNION SELECT 1 AS value`),
      'unique number',
    ],
    [
      'a sum of larger numbers',
      bySql('count', 'SUM(value)', 'SELECT n + 1 AS value FROM t'),
      'unique number',
    ],
    ['a number of rows', bySql('count', 'COUNT(*)'), 'every none'],
    ['a sum of ones in the aggregation', bySql('count', 'SUM(1)'), 'every none'],
    ['whether there are rows', bySql('count', '1'), 'unique none'],
    ['a metric without a query', { type: 'count' }, 'every none'],
    [
      'distinct values',
      bySql('count', 'COUNT(DISTINCT value)'),
      'Goals cannot compute COUNT(DISTINCT value) for each participant.',
    ],
    [
      'the largest value',
      bySql('revenue', 'MAX(value)'),
      'Goals cannot compute MAX(value) for each participant.',
    ],
    [
      'a ratio',
      bySql('revenue', 'SUM(value)', QUERY, { denominatorMetricId: 'met_2' }),
      'It has a denominator. Goals cannot measure ratios.',
    ],
    [
      'a funnel',
      bySql('binomial', 'SUM(value)', QUERY, { denominatorMetricId: 'met_2' }),
      'It has a denominator. Goals cannot measure ratios.',
    ],
  ])('measure %s', (_, metric, expected) => {
    expect(measureOf(metric)).toBe(expected);
  });

  it('have a note if events must send a value that the query had', () => {
    expect(imported(bySql('count', 'SUM(value)')).lines).toEqual([
      'value: The metric adds up a value. Send it with the events of the goal.',
    ]);
  });
});

describe('metrics of the query builder and of Mixpanel', () => {
  const built = (type: string, valueColumnName: string): Json => ({
    ...bySql(type, 'SUM(value)', ''),
    sqlBuilder: { valueColumnName },
  });
  const mixpanel = (type: string, userAggregation: string, eventValue: string): Json => ({
    type,
    mixpanel: { userAggregation, eventValue },
  });

  it.each<[Json, string]>([
    [built('count', ''), 'every none'],
    [built('count', 'sku'), 'Goals cannot compute COUNT(DISTINCT value) for each participant.'],
    [built('revenue', 'amount'), 'Goals cannot compute MAX(value) for each participant.'],
    [mixpanel('count', 'sum(values)', ''), 'every none'],
    [mixpanel('count', 'sum(values)', 'items'), 'unique number'],
    [mixpanel('revenue', 'sum(values)', 'amount'), 'unique revenue'],
    [mixpanel('revenue', 'max(values)', 'amount'), 'Goals cannot compute max(values) for each participant.'],
  ])('%j measures %s', (metric, expected) => {
    expect(measureOf(metric)).toBe(expected);
  });
});

describe('windows and caps of metrics', () => {
  const behaving = (behavior: Json) => imported({ ...bySql('revenue', 'SUM(value)'), behavior });
  const WINDOW = 'A conversion window must be a number of whole days from 1 to 365, without a delay.';

  it.each([
    { type: 'none', delayValue: 24, delayUnit: 'hours' },
    { type: 'conversion', delayHours: 2, windowValue: 3, windowUnit: 'days' },
    { type: 'conversion', windowValue: 12, windowUnit: 'hours' },
    { type: 'conversion', windowValue: 53, windowUnit: 'weeks' },
  ])('are listed if goals cannot have the window %j', (windowSettings) => {
    const { goal, lines } = behaving({ windowSettings });
    expect(lines).toEqual([`window (${windowSettings.type}): ${WINDOW}`]);
    expect(goal).not.toHaveProperty('conversion_window_days');
  });

  it('can be as long as the windows of goals', () => {
    const windowSettings = { type: 'conversion', windowValue: 365, windowUnit: 'days' };
    expect(behaving({ windowSettings }).goal).toMatchObject({ conversion_window_days: 365 });
  });

  it('are read from the fields of older versions', () => {
    const older = { conversionWindowStart: 0, conversionWindowEnd: 72, capping: 'absolute', capValue: 500 };
    expect(behaving(older).goal).toMatchObject({ conversion_window_days: 3, value_cap: 500 });
    expect(behaving({ cap: 20 }).goal).toMatchObject({ value_cap: 20 });
    expect(behaving({ conversionWindowStart: 24, conversionWindowEnd: 72 }).lines).toEqual([
      `window (conversion): ${WINDOW}`,
    ]);
  });
});
