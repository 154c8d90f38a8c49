import { daysToDecision, daysToMinimum, isPlanOver, type ObservedEffect } from './duration';
import type { DecisionRules } from './input';
import { sequentialTest } from './sequential';

const rules: DecisionRules = {
  method: 'frequentist',
  correction: 'none',
  significance: 95,
  minConversions: 25,
  minRuntimeDays: 7,
};
const enough = { daysRunning: 10, conversions: [400, 400] };
const effect: ObservedEffect = {
  difference: 0.01,
  largestError: 0.005,
  participants: 10_000,
  tuning: 5_000,
  informationFraction: null,
  daysToPlannedEnd: null,
  singleLook: null,
  priorDeviation: null,
  alpha: 0.05,
};

describe('daysToMinimum', () => {
  it('is the time until the minimum runtime of the project', () => {
    expect(daysToMinimum(rules, { daysRunning: 4.5, conversions: [25, 30] })).toBe(2.5);
    expect(daysToMinimum(rules, { daysRunning: 8, conversions: [25, 30] })).toBe(0);
  });

  it('is the time until the minimum conversions of all variations together, at the current pace', () => {
    expect(daysToMinimum(rules, { daysRunning: 10, conversions: [5, 20] })).toBe(10);
    expect(daysToMinimum(rules, { daysRunning: 10, conversions: [5] })).toBe(40);
  });

  it('is null if there is no pace yet', () => {
    expect(daysToMinimum(rules, { daysRunning: 10, conversions: [0, 0] })).toBeNull();
    expect(daysToMinimum(rules, { daysRunning: 0, conversions: [5, 20] })).toBeNull();
    expect(daysToMinimum({ ...rules, minConversions: 0 }, { daysRunning: 0, conversions: [0] })).toBe(7);
  });
});

describe('daysToDecision', () => {
  // The factor by which the sample must grow if the standard error is as large as the effect (Fleiss 1981): (z_0.975 +
  // z_0.8)² = (1.959963984540054 + 0.8416212335729143)² = 7.848879734349088.
  it('is the time until a fixed test has a power of 80 %', () => {
    const days = daysToDecision(rules, enough, { ...effect, largestError: 0.01 }, false);
    expect(days).toBeCloseTo(10 * (7.848879734349088 - 1), 9);
    expect(daysToDecision(rules, enough, effect, false)).toBeCloseTo(10 * (7.848879734349088 / 4 - 1), 9);
  });

  it('assumes the pace of the days on which the sample was collected', () => {
    const mature = { ...enough, daysRunning: 40, daysSampled: 10 };
    const sequential = { ...rules, method: 'sequential' as const };
    for (const method of [rules, sequential]) {
      expect(daysToDecision(method, mature, effect, false)).toBe(
        daysToDecision(method, enough, effect, false),
      );
    }
    expect(daysToMinimum(rules, { ...mature, conversions: [5, 20] })).toBe(10);
    expect(daysToDecision(rules, { ...mature, daysSampled: 0 }, effect, false)).toBeNull();
  });

  // R 4.2.2: uniroot on function(k) d/s - qnorm(0.95)*sqrt(1 + s^2/prior^2) - qnorm(0.8), where s = SE/sqrt(k).
  it.each([
    [null, 1.545639308],
    [0.02, 1.58580531151],
    [0.005, 2.03187057705],
    [0.001, 5.53455671183],
  ])(
    'is the time until the method bayesian has a power of 80 %%, with a prior deviation of %d',
    (priorDeviation, expected) => {
      const observed = { ...effect, priorDeviation };
      const days = daysToDecision({ ...rules, method: 'bayesian' }, enough, observed, false);
      expect(days! / 10 + 1).toBeCloseTo(expected, 9);
      expect(daysToDecision(rules, enough, observed, false)).toBe(
        daysToDecision(rules, enough, effect, false),
      );
    },
  );

  it('ignores the sample size once the figures are significant', () => {
    expect(daysToDecision(rules, enough, effect, true)).toBe(0);
    expect(daysToDecision(rules, { daysRunning: 4, conversions: [400, 400] }, null, true)).toBe(3);
  });

  it('is the time until the last look of a plan, even without a difference', () => {
    const planned = { ...rules, method: 'planned' as const };
    const half = { ...effect, difference: 0, informationFraction: 0.5 };
    expect(daysToDecision(planned, enough, half, false)).toBe(10);
    expect(daysToDecision(planned, enough, { ...half, daysToPlannedEnd: 3 }, false)).toBe(3);
    for (const method of ['frequentist', 'bayesian', 'sequential'] as const) {
      expect(daysToDecision({ ...rules, method }, enough, half, false)).toBeNull();
    }
  });

  it('is null if the only look comes before the minimums are reached', () => {
    const slow = { daysRunning: 10, conversions: [5, 5] };
    const singleLook = { isEnded: false, daysLeft: 3, daysToEnd: 45 };
    expect(daysToDecision(rules, slow, { ...effect, singleLook }, false)).toBe(40);
    const early = { ...singleLook, daysToEnd: 3 };
    expect(daysToDecision(rules, slow, { ...effect, singleLook: early }, false)).toBeNull();
    expect(daysToDecision(rules, slow, { ...effect, singleLook: early }, true)).toBeNull();
    const sequential: DecisionRules = { ...rules, method: 'sequential' };
    expect(daysToDecision(sequential, slow, { ...effect, singleLook: early }, true)).toBe(40);
  });

  it('is null if it needs participants that a stopped variation no longer gets', () => {
    const stopped = { ...enough, isStopped: true };
    const half = { ...effect, informationFraction: 0.5 };
    for (const method of ['frequentist', 'bayesian', 'sequential', 'planned'] as const) {
      expect(daysToDecision({ ...rules, method }, stopped, half, false)).toBeNull();
    }
    expect(daysToDecision(rules, { ...stopped, conversions: [5, 5] }, effect, true)).toBeNull();
    expect(daysToDecision(rules, { ...stopped, daysRunning: 4 }, effect, true)).toBeNull();
    // The end of a plan does not depend on participants.
    const planned = { ...rules, method: 'planned' as const };
    expect(daysToDecision(planned, stopped, { ...half, daysToPlannedEnd: 30 }, false)).toBe(30);
    const singleLook = { isEnded: false, daysLeft: 12, daysToEnd: 12 };
    expect(daysToDecision(rules, stopped, { ...effect, singleLook }, false)).toBe(12);
  });

  it('is null if the sample is large enough already, but the test is not significant', () => {
    const precise = { ...effect, largestError: 0.001 };
    for (const method of ['frequentist', 'bayesian'] as const) {
      expect(daysToDecision({ ...rules, method }, enough, precise, false)).toBeNull();
    }
  });

  it('is never negative', () => {
    const complete = { ...effect, informationFraction: 1.5 };
    expect(daysToDecision({ ...rules, method: 'planned' }, enough, complete, false)).toBe(0);
  });

  it('is the time until the sequential interval touches 0', () => {
    const days = daysToDecision({ ...rules, method: 'sequential' }, enough, effect, false);
    const growth = days! / 10 + 1;
    const { interval } = sequentialTest(0.01, 0.005 / Math.sqrt(growth), 10_000 * growth, 0.05, 5_000);
    expect(interval[0]).toBeCloseTo(0, 12);
    expect(growth).toBeGreaterThan(1);
  });

  it('makes no sequential forecast beyond 1,000 times the current sample size', () => {
    const sequential = { ...rules, method: 'sequential' as const };
    expect(daysToDecision(sequential, enough, { ...effect, difference: 0.0007 }, false)).toBeGreaterThan(
      1_000,
    );
    expect(daysToDecision(sequential, enough, { ...effect, difference: 0.0003 }, false)).toBeNull();
  });

  it.each([
    ['no effect', enough, { ...effect, difference: 0 }],
    ['no error', enough, { ...effect, largestError: 0 }],
    ['no comparison', enough, null],
    ['no conversions yet', { daysRunning: 10, conversions: [0, 0] }, effect],
    ['no time yet', { daysRunning: 0, conversions: [400, 400] }, effect],
  ])('is null with %s', (_, progress, observed) => {
    expect(daysToDecision(rules, progress, observed, false)).toBeNull();
  });

  it('is null if the conversions cannot be forecast, even if the figures are significant', () => {
    expect(daysToDecision(rules, { daysRunning: 10, conversions: [0, 0] }, effect, true)).toBeNull();
  });
});

describe('isPlanOver', () => {
  it.each([
    [true, true, true],
    [false, true, false],
    [true, false, false],
  ])(
    'requires both minimums once the planned participants are reached: runtime %j, conversions %j',
    (minRuntimeReached, minConversionsReached, expected) => {
      const singleLook = { daysLeft: 0, daysToEnd: 5, isEnded: false };
      const duration = { daysRunning: 3, minRuntimeReached, minConversionsReached };
      expect(isPlanOver('frequentist', null, singleLook, duration)).toBe(expected);
    },
  );
});
