import { growthBookExperiment as experiment } from '../../../../test/support/growthbook-export';
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
    ['a phase', { experiments: [experiment({}, { prerequisites: [beta] })] }, 'Checkout'],
    ['a rule', { features: [inProduction('checkout', inline({ prerequisites: [beta] }))] }, 'checkout'],
    [
      'a feature',
      { features: [inProduction('checkout', inline({}), { prerequisites: ['beta'] })] },
      'checkout',
    ],
    [
      'the feature of an experiment',
      {
        experiments: [experiment()],
        features: [inProduction('checkout', reference, { prerequisites: ['beta'] })],
      },
      'Checkout',
    ],
  ])('prevent the import if they belong to %s', (_, document, name) => {
    expect(importedFrom(document)).toEqual([]);
    expect(linesOf(document)).toContain(`${name}: ${DEPENDS}`);
  });

  it('prevent the import of all experiments of the feature, and of experiments with further features', () => {
    const second = { ...experiment(), id: 'exp_2', name: 'Second', trackingKey: 'second' };
    const both = [reference, { ...reference, experimentId: 'exp_2' }];
    const several = {
      id: 'several',
      valueType: 'string',
      prerequisites: ['beta'],
      environments: { production: { rules: both } },
    };
    const experiments = [experiment(), second];
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
    expect(linesOf(features, { experiments: [experiment()] })).toEqual([]);
  });

  it('do not count in archived features and disabled environments', () => {
    const valued = (...values: string[]): Json => ({
      ...reference,
      variations: values.map((value, index) => ({ variationId: 'ab'[index], value })),
    });
    const archived = inProduction('old', valued('red', 'blue'), { archived: true });
    const live = {
      id: 'live',
      valueType: 'string',
      environments: {
        dev: { enabled: false, rules: [valued('x', 'y')] },
        production: { enabled: true, rules: [valued('plain', 'short')] },
      },
    };
    const document = { experiments: [experiment()], features: [archived, live] };
    const [imported] = readGrowthBook([document]).experiments;
    expect([imported.api_name, imported.variations.map(({ api_name }) => api_name)]).toEqual([
      'live',
      ['plain', 'short'],
    ]);
    expect(linesOf(document)).toEqual([
      'old: It is archived.',
      'rules of disabled environments: Only disabled environments have these rules.',
    ]);
    const off = { ...live, environments: { dev: live.environments.dev } };
    expect(linesOf({ experiments: [experiment()], features: [off] })).toEqual([
      'live: The environments with its experiment are disabled.',
    ]);
  });

  it('count only in enabled environments if the feature contains the rules', () => {
    const environments = { dev: { enabled: false }, production: { enabled: true } };
    const feature = (...rules: Json[]): Json => ({ id: 'flat', valueType: 'string', environments, rules });
    const everywhere = { ...reference, allEnvironments: true };
    const inDev = { ...inline({}), environments: ['dev'] };
    const document = { experiments: [experiment()], features: [feature(everywhere, inDev)] };
    expect(importedFrom(document)).toEqual(['flat']);
    expect(importedFrom({ features: [feature(inDev)] })).toEqual([]);
    expect(importedFrom({ features: [feature({ ...inDev, environments: ['dev', 'production'] })] })).toEqual([
      'flat',
    ]);
  });

  it('do not name variations if they give them different values', () => {
    const environments = {
      dev: { rules: [{ ...reference, variations: [{ variationId: 'a', value: 'dev' }] }] },
      production: { rules: [reference] },
    };
    const features = [{ id: 'several', valueType: 'string', environments }];
    const document = { experiments: [experiment()], features };
    expect(importedFrom(document)).toEqual(['checkout']);
    expect(linesOf(document)).toEqual([
      'several: Its rules give the variations different values. The experiment keeps the keys of its own variations.',
    ]);
  });

  it('are listed with their schedules and fallback attributes', () => {
    const scheduleRules = [{ enabled: false, timestamp: '2026-06-23T16:09:37.769Z' }];
    const rule = inline({ scheduleRules, fallbackAttribute: 'deviceId' });
    expect(linesOf({ features: [inProduction('checkout', rule)] })).toEqual([
      'schedule: Set starts_at and ends_at of the experiment.',
      'fallback attribute deviceId: Visitors are assigned only by their id.',
    ]);
    const rules = [inline({}), inline({ scheduleRules, enabled: false })];
    const feature = { ...inProduction('checkout', {}), environments: { production: { rules } } };
    expect(linesOf({ features: [feature] })).toEqual([]);
  });

  it('are not experiments in a payload if they force a value', () => {
    const features = { forced: { rules: [{ force: 1, variations: ['a', 'b'] }] } };
    expect(importedFrom({ features })).toEqual([]);
    expect(linesOf({ features })).toEqual(['forced: It is a flag without an experiment.']);
  });
});

describe('features in a payload', () => {
  const rule = { key: 'checkout', variations: ['off', 'on'], weights: [0.17, 0.83] };
  const payload = { features: { button: { rules: [rule] } } };
  const TAKEN =
    'button: The files contain its experiment checkout from the REST API, which takes precedence.';

  it('do not add an experiment of the REST API again', () => {
    const valued = (value: string): Json => ({ ...reference, variations: [{ variationId: 'a', value }] });
    const environments = { dev: { rules: [valued('dev-off')] }, production: { rules: [valued('off')] } };
    const different = { id: 'button', valueType: 'string', environments };
    for (const features of [[], [different]]) {
      const documents = [{ experiments: [experiment()], features }, payload];
      expect(importedFrom(...documents)).toEqual(['checkout']);
      expect(linesOf(...documents)).toContain(TAKEN);
    }
  });

  it.each<[string, Json, string]>([
    [
      'is a bandit',
      { type: 'multi-armed-bandit' },
      'It is a bandit. Gosset does not change shares automatically.',
    ],
    ['has ended', { status: 'stopped' }, 'It has ended. Its results stay in GrowthBook.'],
  ])('do not add an experiment that is not imported because it %s', (_, more, reason) => {
    const documents = [payload, { experiments: [experiment(more)] }];
    expect(importedFrom(...documents)).toEqual([]);
    expect(linesOf(...documents)).toEqual([`Checkout: ${reason}`, TAKEN]);
  });

  it('are found by the feature key or the experiment id if there is no tracking key', () => {
    const [{ key: _key, ...unnamed }, untracked] = [rule, { ...experiment(), trackingKey: undefined }];
    const exp_1 = { rules: [{ ...rule, key: 'exp_1' }] };
    expect(importedFrom({ experiments: [untracked] }, { features: { exp_1 } })).toEqual(['exp_1']);
    const ended = { experiments: [experiment({ status: 'stopped' })] };
    expect(importedFrom(ended, { features: { checkout: { rules: [unnamed] } } })).toEqual([]);
  });

  it('add their experiment if the files contain only its visual changes', () => {
    expect(importedFrom({ ...payload, experiments: [{ key: 'checkout' }] })).toEqual(['button']);
  });
});

const page = (field: string, count: number, from: number, more: Json): Json => ({
  [field]: Array.from({ length: count }, (_, index) => ({ id: `id_${from + index}` })),
  ...more,
});

const missingPages = (...documents: Json[]): string[] =>
  readGrowthBook(documents)
    .notTaken.filter(({ name }) => name === '(further pages)')
    .map(({ kind, reason }) => `${kind}: ${reason}`);

const SAVE = 'are not in the files. Save each page of the list in a separate file.';

describe('lists with several pages', () => {
  const first = page('metrics', 10, 0, { total: 23, hasMore: true, nextOffset: 10 });
  const second = page('metrics', 10, 10, { total: 23, hasMore: true, nextOffset: 20 });
  const third = page('metrics', 3, 20, { total: 23, hasMore: false });

  it('are reported if pages are missing', () => {
    expect(missingPages(first)).toEqual([`goal: 13 of 23 metrics ${SAVE}`]);
    expect(missingPages(first, third)).toEqual([`goal: 10 of 23 metrics ${SAVE}`]);
    expect(missingPages(first, first, second)).toEqual([`goal: 3 of 23 metrics ${SAVE}`]);
    expect(missingPages(page('savedGroups', 1, 0, { hasMore: true }))).toEqual([
      `audience: Further savedGroups ${SAVE}`,
    ]);
  });

  it('do not contain the experiments of SDK payloads, which have no id', () => {
    const list = page('experiments', 3, 0, { total: 4 });
    const payload = { features: {}, experiments: [{ key: 'headline', variations: [] }] };
    expect(missingPages(list, payload)).toEqual([`experiment: 1 of 4 experiments ${SAVE}`]);
  });

  it('are not reported if all pages are in the files', () => {
    expect(missingPages(third, first, second)).toEqual([]);
    expect(missingPages(page('features', 3, 0, { total: 3, hasMore: false }))).toEqual([]);
    expect(missingPages({ features: [], metrics: [], total: 5 })).toEqual([]);
  });
});
