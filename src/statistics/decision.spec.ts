import { type Evidence, gatedVerdict, significantVerdict, trippedGuardrails } from './decision';
import { compareGoal } from './goal-comparison';
import type { DecisionRules, GoalTotals } from './input';
import type { Method } from './result';
import { NOTHING } from './strata';

const rulesOf = (method: Method, significance = 95): DecisionRules => ({
  method,
  correction: 'none',
  significance,
  minConversions: 25,
  minRuntimeDays: 7,
});

const evidence = (changes: Partial<Evidence>): Evidence => ({
  difference: 0.01,
  pValue: 0.5,
  sequentialPValue: 0.5,
  chanceToBeatOriginal: 0.5,
  decidedDifference: null,
  ...changes,
});

const verdict = (method: Method, changes: Partial<Evidence>, significance?: number): string =>
  significantVerdict(evidence(changes), rulesOf(method, significance), 'increase');

describe('significantVerdict', () => {
  it('uses only the p-value of the method', () => {
    expect(verdict('frequentist', { pValue: 0.01 })).toBe('winner');
    expect(verdict('frequentist', { sequentialPValue: 0.01 })).toBe('inconclusive');
    expect(verdict('sequential', { sequentialPValue: 0.01 })).toBe('winner');
    expect(verdict('sequential', { pValue: 0.01 })).toBe('inconclusive');
    expect(verdict('bayesian', { pValue: 0, sequentialPValue: 0 })).toBe('inconclusive');
  });

  // 1 - 0.95 is 0.050000000000000044 in doubles, 1 - 0.999 is 0.0010000000000000009.
  it('treats a p-value of exactly alpha as significant, but not the next larger one', () => {
    expect(verdict('frequentist', { pValue: 0.05 })).toBe('winner');
    expect(verdict('frequentist', { pValue: 0.05000000000000001 })).toBe('inconclusive');
    expect(verdict('frequentist', { pValue: 0.001 }, 99.9)).toBe('winner');
    expect(verdict('frequentist', { pValue: 0.0010000000000000002 }, 99.9)).toBe('inconclusive');
  });

  it('follows the sign of the difference and the direction of the goal', () => {
    const worse = evidence({ pValue: 0.01, difference: -0.01 });
    expect(significantVerdict(worse, rulesOf('frequentist'), 'increase')).toBe('loser');
    expect(significantVerdict(worse, rulesOf('frequentist'), 'decrease')).toBe('winner');
    const better = evidence({ pValue: 0.01 });
    expect(significantVerdict(better, rulesOf('frequentist'), 'decrease')).toBe('loser');
  });

  it('applies the significance to both sides with the Bayesian method', () => {
    expect(verdict('bayesian', { chanceToBeatOriginal: 0.95 })).toBe('winner');
    expect(verdict('bayesian', { chanceToBeatOriginal: 0.9499999 })).toBe('inconclusive');
    const difference = -0.01;
    expect(verdict('bayesian', { chanceToBeatOriginal: 0.0500001, difference })).toBe('inconclusive');
    expect(verdict('bayesian', { chanceToBeatOriginal: 0.05, difference })).toBe('loser');
  });

  it('never contradicts the difference', () => {
    expect(verdict('bayesian', { chanceToBeatOriginal: 0.01, difference: 0.01 })).toBe('inconclusive');
    expect(verdict('bayesian', { chanceToBeatOriginal: 0.99, difference: -0.01 })).toBe('inconclusive');
    for (const method of ['sequential', 'frequentist', 'bayesian'] as const) {
      const equal = { difference: 0, pValue: 0, sequentialPValue: 0, chanceToBeatOriginal: 1 };
      expect(verdict(method, equal, 50)).toBe('inconclusive');
    }
  });

  it('is inconclusive without figures', () => {
    const nothing = { difference: null, pValue: null, sequentialPValue: null, chanceToBeatOriginal: null };
    for (const method of ['sequential', 'frequentist', 'bayesian'] as const) {
      expect(verdict(method, nothing)).toBe('inconclusive');
    }
    expect(verdict('frequentist', { pValue: 0, difference: 0 })).toBe('inconclusive');
  });
});

describe('gatedVerdict', () => {
  const gated = (conversions: number[], daysRunning: number): string =>
    gatedVerdict('loser', rulesOf('sequential'), { conversions, daysRunning });

  it('is final with enough conversions of both variations together and enough days', () => {
    expect(gated([25, 25], 7)).toBe('loser');
    expect(gated([50, 0], 7)).toBe('loser');
  });

  it.each([
    [[24, 25], 30],
    [[0, 49], 30],
    [[400, 400], 6.999],
  ])('is inconclusive with %j conversions after %d days', (conversions, daysRunning) => {
    expect(gated(conversions, daysRunning)).toBe('inconclusive');
  });
});

const ARMS = [
  { id: 1, name: 'Original', isOriginal: true },
  { id: 2, name: 'Green', isOriginal: false },
];
const SETTINGS = { alpha: 0.05, tuning: new Map<number, number>(), upliftPrior: null };
const RULES = { correction: 'none', significance: 95, minConversions: 25, minRuntimeDays: 7 } as const;

/** A guardrail with a conversion rate for each variation. */
const guardrail = (participants: number, counts: readonly number[]): GoalTotals => ({
  hasValue: false,
  direction: 'increase',
  counting: 'unique',
  isGuardrail: true,
  looks: null,
  phases: [
    {
      shares: null,
      totals: new Map(
        counts.map((converters, index) => [
          index + 1,
          { ...NOTHING, participants, converters, conversions: converters },
        ]),
      ),
    },
  ],
});

const tripped = (goal: GoalTotals, method: Method = 'sequential'): number[] => {
  const comparisons = [compareGoal(goal, ARMS, SETTINGS)];
  return trippedGuardrails({ goals: [goal], rules: { ...RULES, method } }, comparisons)[0];
};

/** A generator of reproducible pseudo-random numbers from 0 to 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

it.each(['sequential', 'frequentist', 'bayesian', 'planned'] as const)(
  'uses the always-valid test with the method %s',
  (method) => {
    expect(tripped(guardrail(1_000, [120, 40]), method)).toEqual([2]);
    // In a single look, z = 2.2 would be significant (p = 0.03), but not in an always-valid test.
    expect(tripped(guardrail(1_000, [130, 98]), method)).toEqual([]);
  },
);

it('requires the minimum conversions, and respects the direction', () => {
  expect(tripped(guardrail(1_000, [49, 0]))).toEqual([]);
  expect(tripped(guardrail(1_000, [50, 0]))).toEqual([2]);
  expect(tripped({ ...guardrail(1_000, [120, 40]), direction: 'decrease' })).toEqual([]);
  expect(tripped({ ...guardrail(1_000, [40, 120]), direction: 'decrease' })).toEqual([2]);
});

it('ignores goals that are not guardrails', () => {
  expect(tripped({ ...guardrail(1_000, [120, 40]), isGuardrail: false })).toEqual([]);
});

it('corrects for other guardrails, but not for goals', () => {
  const worse = guardrail(1_000, [120, 74]);
  const same = guardrail(1_000, [100, 100]);
  const trippedIn = (...goals: GoalTotals[]): number[][] => {
    const comparisons = goals.map((goal) => compareGoal(goal, ARMS, SETTINGS));
    const rules = { ...RULES, method: 'sequential', correction: 'holm' } as const;
    return trippedGuardrails({ goals, rules }, comparisons);
  };
  const goal = { ...same, isGuardrail: false };
  expect(trippedIn(worse)).toEqual([[2]]);
  expect(trippedIn(goal, goal, goal, worse)).toEqual([[], [], [], [2]]);
  expect(trippedIn(same, same, same, worse)).toEqual([[], [], [], []]);
});

it('trips a guardrail at any of 28 daily looks in at most 5 % of experiments without an effect', () => {
  const random = generator(20_261);
  const experiments = 200;
  let found = 0;
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    const counts = [0, 0];
    let isTripped = false;
    for (let day = 1; day <= 28 && !isTripped; day += 1) {
      for (const arm of [0, 1]) {
        counts[arm] += Array.from({ length: 50 }, random).filter((value) => value < 0.2).length;
      }
      isTripped = tripped(guardrail(day * 50, counts)).length > 0;
    }
    found += Number(isTripped);
  }
  expect(found / experiments).toBeLessThanOrEqual(0.05);
});
