import { type Evidence, gatedVerdict, significantVerdict } from './decision';
import type { DecisionRules } from './input';
import type { Method } from './result';

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
