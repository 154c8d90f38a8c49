import type { Json } from '../export-values';
import { readGrowthBook } from './growthbook';

const linesOf = (...documents: Json[]): string[] =>
  readGrowthBook(documents).notTaken.map(({ name, part, reason }) => `${part ?? name}: ${reason}`);

const importedFrom = (...documents: Json[]): string[] =>
  readGrowthBook(documents).experiments.map(({ api_name }) => api_name);

const DEPENDS = 'It depends on another feature. Audiences have no conditions on features.';

const inProduction = (id: string, rule: Json, more: Json = {}): Json => ({
  id,
  valueType: 'string',
  environments: { production: { rules: [{ enabled: true, ...rule }] } },
  ...more,
});

const inline = (more: Json): Json => ({
  type: 'experiment',
  value: [
    { value: 'a', weight: 0.5 },
    { value: 'b', weight: 0.5 },
  ],
  ...more,
});

const experiment = (phase: Json): Json => ({
  id: 'exp_1',
  name: 'Checkout',
  trackingKey: 'checkout',
  status: 'draft',
  variations: [
    { variationId: 'a', key: 'a' },
    { variationId: 'b', key: 'b' },
  ],
  phases: [{ coverage: 1, ...phase }],
});

const reference = {
  type: 'experiment-ref',
  experimentId: 'exp_1',
  variations: [{ variationId: 'a', value: 'a' }],
};

describe('prerequisites', () => {
  const beta = { id: 'beta', condition: { value: true } };

  it.each<[string, Json, string]>([
    [
      'a rule in a payload',
      { features: { checkout: { rules: [{ variations: ['a', 'b'], parentConditions: [beta] }] } } },
      'checkout',
    ],
    [
      'a feature in a payload',
      {
        features: {
          checkout: {
            rules: [{ parentConditions: [{ ...beta, gate: true }] }, { variations: ['a', 'b'] }],
          },
        },
      },
      'checkout',
    ],
    ['a phase', { experiments: [experiment({ prerequisites: [beta] })] }, 'Checkout'],
    ['a rule', { features: [inProduction('checkout', inline({ prerequisites: [beta] }))] }, 'checkout'],
    [
      'a feature',
      { features: [inProduction('checkout', inline({}), { prerequisites: ['beta'] })] },
      'checkout',
    ],
    [
      'the feature of an experiment',
      {
        experiments: [experiment({})],
        features: [inProduction('checkout', reference, { prerequisites: ['beta'] })],
      },
      'Checkout',
    ],
  ])('prevent the import if they belong to %s', (_, document, name) => {
    expect(importedFrom(document)).toEqual([]);
    expect(linesOf(document)).toContain(`${name}: ${DEPENDS}`);
  });

  it('prevent the import of all experiments of the feature, and of experiments with further features', () => {
    const second = { ...experiment({}), id: 'exp_2', name: 'Second', trackingKey: 'second' };
    const both = [reference, { ...reference, experimentId: 'exp_2' }];
    const several = {
      id: 'several',
      valueType: 'string',
      prerequisites: ['beta'],
      environments: { production: { rules: both } },
    };
    const experiments = [experiment({}), second];
    expect(importedFrom({ experiments, features: [several] })).toEqual([]);
    expect(linesOf({ experiments, features: [several] })).toEqual(
      expect.arrayContaining([`Checkout: ${DEPENDS}`, `Second: ${DEPENDS}`]),
    );
    const further = inProduction('further', reference, { prerequisites: ['beta'] });
    const features = [inProduction('checkout', reference), further];
    expect(importedFrom({ experiments, features })).toEqual(['second']);
    const archived = { ...further, archived: true };
    expect(importedFrom({ experiments, features: [features[0], archived] })).toHaveLength(2);
  });

  it('are ignored if they are empty, or belong to a rule without an experiment', () => {
    const free = { features: [inProduction('free', inline({ prerequisites: [] }), { prerequisites: [] })] };
    const forced = { force: 'a', parentConditions: [beta] };
    const payload = { features: { forced: { rules: [forced, { variations: ['a', 'b'] }] } } };
    expect(importedFrom(free, payload)).toEqual(['free', 'forced']);
  });
});

describe('feature rules', () => {
  it('apply only to their saved groups', () => {
    const savedGroups = [{ id: 'grp_1', name: 'Staff', type: 'list', attributeKey: 'team', values: ['ab'] }];
    const rule = inline({
      condition: '{"plan":"pro"}',
      savedGroupTargeting: [{ matchType: 'none', savedGroups: ['grp_1'] }],
    });
    const { audiences } = readGrowthBook([{ savedGroups, features: [inProduction('checkout', rule)] }]);
    expect(audiences[1]).toMatchObject({
      name: 'Targeting of checkout',
      conditions: [
        'and',
        { type: 'attribute', name: 'plan', match: 'exact', value: 'pro' },
        ['not', { type: 'attribute', name: 'team', match: 'in', value: ['ab'] }],
      ],
    });
  });

  it('are listed if their experiment is not in the files', () => {
    const features = { features: [inProduction('checkout', reference)] };
    expect(linesOf(features)).toEqual(['experiment exp_1: The files contain no experiment with this id.']);
    expect(linesOf(features, { experiments: [experiment({})] })).toEqual([]);
  });
});
