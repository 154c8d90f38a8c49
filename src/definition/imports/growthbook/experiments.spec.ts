import { growthBookExperiment } from '../../../../test/support/growthbook-export';
import type { Json } from '../export-values';
import { readGrowthBook } from './growthbook';

const metric = (id: string): Json => ({ id, name: id, type: 'binomial' });

const importOf = (more: Json, phase: Json = {}) => {
  const metrics = ['orders', 'refunds', 'visits'].map(metric);
  const { experiments, notTaken } = readGrowthBook([
    { metrics, experiments: [growthBookExperiment(more, phase)] },
  ]);
  const [imported] = experiments;
  return { imported, lines: notTaken.map(({ part, reason }) => `${part ?? 'all'}: ${reason}`) };
};

const settingsOf = (settings: Json) => importOf({ settings });

describe('the metrics of an experiment', () => {
  it('become goals and guardrails, with secondary metrics after the primary ones', () => {
    const { imported, lines } = settingsOf({
      goals: [{ metricId: 'orders' }],
      secondaryMetrics: [{ metricId: 'visits' }, { metricId: 'gone' }],
      guardrails: [{ metricId: 'refunds', overrides: {} }, { metricId: 'orders' }],
    });
    expect(imported).toMatchObject({ goals: ['orders', 'visits'], guardrails: ['refunds'] });
    expect(lines).toEqual(['metric gone: The files contain no usable metric with this id.']);
  });

  it('have a note if the primary one has no goal', () => {
    const goals = [{ metricId: 'gone' }, { metricId: 'orders' }];
    expect(settingsOf({ goals }).lines).toEqual([
      'metric gone: The files contain no usable metric with this id. It is the primary metric: set the primary goal yourself.',
    ]);
  });

  it.each<[Json, string[]]>([
    [{ windowHours: 24, window: 'conversion' }, ['window override of metric orders']],
    [{ delayHours: 1 }, ['window override of metric orders']],
    [{ winRiskThreshold: 0.01 }, []],
  ])('are listed with the overrides %j', (overrides, expected) => {
    const { lines } = settingsOf({ goals: [{ metricId: 'orders', overrides }] });
    expect(lines.map((line) => line.split(':')[0])).toEqual(expected);
  });
});

describe('the settings of an experiment', () => {
  it.each<[Json, string]>([
    [{ activationMetric: { metricId: 'visits' } }, 'activation metric visits'],
    [{ segmentId: 'seg_1' }, 'segment seg_1'],
    [{ queryFilter: "country = 'DE'" }, "query filter country = 'DE'"],
    [{ attributionModel: 'experimentDuration' }, 'attribution model experimentDuration'],
    [{ inProgressConversions: 'exclude' }, 'in-progress conversions (exclude)'],
  ])('are listed if they change what counts: %j', (settings, part) => {
    expect(settingsOf(settings).lines).toEqual([expect.stringContaining(`${part}: `)]);
  });

  it('are not listed at their defaults', () => {
    const defaults = { segmentId: '', queryFilter: '', attributionModel: 'firstExposure' };
    expect(settingsOf({ ...defaults, inProgressConversions: 'include' }).lines).toEqual([]);
  });

  it('are listed if they assign visitors or change pages in a way that Gosset does not have', () => {
    const more = { fallbackAttribute: 'deviceId', hasVisualChangesets: true };
    expect(importOf(more).lines).toEqual([
      'visual editor changes or URL redirects: Write them as code.',
      'fallback attribute deviceId: Visitors are assigned only by their id.',
    ]);
  });
});

it('has no lines about parts of an experiment that is not imported', () => {
  const { imported, lines } = importOf(
    { status: 'running', settings: { segmentId: 'seg_1' } },
    { coverage: 0.123456 },
  );
  expect(imported).toBeUndefined();
  expect(lines).toEqual(['all: Its coverage 12.3456 % is not a percentage with at most two decimal places.']);
});

describe('the variations of an experiment', () => {
  it.each<[Json[], string]>([
    [[{ variationId: 'a', weight: 0.7 }], 'no weight for b'],
    [[{ variationId: 'a', weight: 0.7 }, { variationId: 'b' }], 'no weight for b'],
    [
      [
        { variationId: 'a', weight: 0.4 },
        { variationId: 'b', weight: 0.4 },
        { variationId: 'c', weight: 0.2 },
      ],
      'a weight for c',
    ],
  ])('must be those of the traffic split %j', (trafficSplit, part) => {
    const { imported, lines } = importOf({}, { trafficSplit });
    expect(imported).toBeUndefined();
    expect(lines).toEqual([`all: Its traffic split has ${part}, but its variations are a, b.`]);
  });

  it('are equal without a traffic split', () => {
    const { imported } = importOf({}, { trafficSplit: [] });
    expect(imported.variations).toMatchObject([{ traffic_allocation: null }, { traffic_allocation: null }]);
  });

  it('are listed if they have the same key', () => {
    const variations = ['a', 'b'].map((variationId) => ({ variationId, key: 'same' }));
    expect(importOf({ variations }).lines).toEqual([
      'variation keys "same": API names of variations must differ, and can contain only lower-case letters, digits, hyphens and underscores.',
    ]);
  });
});
