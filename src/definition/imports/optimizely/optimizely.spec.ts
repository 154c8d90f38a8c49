import type { Json } from '../export-values';
import { readOptimizely } from './optimizely';

const experiment = (id: string, more: Json = {}): Json => ({
  id,
  key: `test_${id}`,
  variations: [
    { id: `${id}1`, key: 'off' },
    { id: `${id}2`, key: 'on' },
  ],
  trafficAllocation: [
    { entityId: `${id}1`, endOfRange: 5000 },
    { entityId: `${id}2`, endOfRange: 10_000 },
  ],
  ...more,
});

const linesOf = (datafile: Json): string[] =>
  readOptimizely([{ version: '4', ...datafile }]).notTaken.map(
    ({ kind, name, part, reason }) => `${kind} ${part ?? name}: ${reason}`,
  );

describe('flags', () => {
  const experiments = [experiment('1'), experiment('2', { status: 'Archived' })];

  it.each<[string[], string]>([
    [['1'], 'Request the experiment test_1 instead of the flag.'],
    [['2'], 'The experiment test_2 is not imported.'],
    [['3'], 'The experiment 3 is not imported.'],
    [['1', '2'], 'Request the experiment test_1 instead of the flag. The experiment test_2 is not imported.'],
    [[], 'It is a flag without an experiment.'],
  ])('with the experiments %j are listed with what happened to them', (experimentIds, reason) => {
    const featureFlags = [{ key: 'checkout', experimentIds }];
    expect(linesOf({ experiments, featureFlags })).toEqual([
      'experiment test_2: Its status is Archived.',
      `feature checkout: ${reason}`,
    ]);
  });

  it('are listed with their rollout rules', () => {
    const rollouts = [
      { id: 'r', experiments: [experiment('7', { key: 'some' }), experiment('8', { key: 'all' })] },
    ];
    const featureFlags = [{ key: 'checkout', experimentIds: ['1'], rolloutId: 'r' }];
    expect(linesOf({ experiments: [experiment('1')], featureFlags, rollouts })).toContain(
      'feature rollout rules some, all: Gosset has no rules without an experiment.',
    );
  });
});

describe('holdouts and bandits', () => {
  it('are listed, not imported', () => {
    const holdouts = [{ id: 'h', key: 'global', status: 'Running' }];
    const bandits = [experiment('1', { cmab: { attributeIds: ['5'] } }), experiment('2', { type: 'mab' })];
    const reason = 'It is a bandit. Gosset does not change shares automatically.';
    expect(linesOf({ experiments: bandits, holdouts })).toEqual([
      `experiment test_1: ${reason}`,
      `experiment test_2: ${reason}`,
      'holdout global: Gosset has no holdouts. Its visitors can take part in the experiments.',
    ]);
  });
});
