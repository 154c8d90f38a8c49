import r from './fixtures/r.json';
import { sampleRatio, sampleRatioOfPhases } from './srm';

describe('sampleRatio', () => {
  it.each(r.chiSquare.cases)('agrees with chisq.test on $counts', ({ counts, weights, ...expected }) => {
    const result = sampleRatio(counts, weights);
    expect(result.chiSquare / expected.chiSquare).toBeCloseTo(1, 10);
    expect(result.degreesOfFreedom).toBe(expected.degreesOfFreedom);
    expect(result.pValue / expected.pValue).toBeCloseTo(1, 9);
    expect(result.isMismatch).toBe(expected.pValue < 0.001);
  });

  // Kohavi, Tang, Xu (2020), Trustworthy Online Controlled Experiments, chapter 21, scenario 1: p = 1.8E-6.
  it('detects the mismatch of the textbook example', () => {
    expect(sampleRatio([821_588, 815_482], [50, 50])).toMatchObject({
      pValue: expect.closeTo(1.8e-6, 7) as number,
      isMismatch: true,
    });
  });

  // The critical value of chi-square with 1 df at 0.001 is 10.828; the values of the two samples are 10.89 and 10.6276.
  it('detects a mismatch only if the p-value is below 0.001', () => {
    expect(sampleRatio([4_835, 5_165], [1, 1])).toMatchObject({ chiSquare: 10.89, isMismatch: true });
    expect(sampleRatio([4_837, 5_163], [1, 1])).toMatchObject({ chiSquare: 10.6276, isMismatch: false });
  });

  it('ignores variations without weight', () => {
    const result = sampleRatio([50_000, 777, 52_000], [1, 0, 1]);
    expect(result).toEqual(sampleRatio([50_000, 52_000], [1, 1]));
  });

  it('detects no mismatch with only a few participants', () => {
    const [few, enough] = [sampleRatio([0, 20], [1, 4]), sampleRatio([25, 0], [1, 4])];
    expect([few.isMismatch, enough.isMismatch]).toEqual([false, true]);
    expect(sampleRatio([24, 0], [1, 4])).toMatchObject({ isMismatch: false });
    expect(sampleRatio([24, 0], [1, 4]).pValue).toBeLessThan(0.001);
  });

  it.each([
    [[], [], 0],
    [[100], [1], 0],
    [[100, 5], [1, 0], 0],
    [[0, 0, 0], [1, 1, 1], 2],
  ])('has a p-value of 1 for the counts %j with the weights %j', (counts, weights, degreesOfFreedom) => {
    const nothing = {
      chiSquare: 0,
      degreesOfFreedom,
      pValue: 1,
      isMismatch: false,
      isDetectable: false,
      untested: { depleted: 0, few: 0, unknown: 0 },
    };
    expect(sampleRatio(counts, weights)).toEqual(nothing);
  });
});

describe('sampleRatioOfPhases', () => {
  const phase = (counts: number[], weights: number[], isUnequallyDepleted = false) => ({
    counts,
    weights,
    isUnequallyDepleted,
  });

  it('gives the result of the test on the counts alone if there is a single phase', () => {
    expect(sampleRatioOfPhases([phase([3, 1], [1, 1])])).toEqual(sampleRatio([3, 1], [1, 1]));
    expect(sampleRatioOfPhases([phase([60, 30, 10], [6, 3, 1])]).degreesOfFreedom).toBe(2);
  });

  // The first phase contributes 100²/9,000 + 100²/1,000 = 11.1, and the second 0. With 2 degrees of freedom, the upper
  // tail is exp(-11.1/2).
  it('sums chi-square and degrees of freedom', () => {
    const result = sampleRatioOfPhases([phase([9_100, 900], [9, 1]), phase([5_000, 5_000], [1, 1])]);
    expect(result.chiSquare).toBeCloseTo(100 / 9, 10);
    expect(result.degreesOfFreedom).toBe(2);
    expect(result.pValue).toBeCloseTo(Math.exp(-50 / 9), 12);
    expect(result.isMismatch).toBe(false);
  });

  // The largest chi-square of n participants in two halves is n, and with 2 degrees of freedom its upper tail is
  // exp(-n/2). 10.83 is the critical value with 1 degree of freedom at 0.001, so 10 participants are too few and 11 are
  // enough.
  it.each([
    ['too few in halves', [phase([5, 5], [1, 1])], false],
    ['enough in halves', [phase([6, 5], [1, 1])], true],
    ['four expected in the smallest share', [phase([396, 4], [99, 1])], false],
    ['five expected in the smallest share', [phase([495, 5], [99, 1])], true],
    [
      'too few in one phase, next to one that is left out',
      [phase([396, 4], [99, 1]), phase([5, 5], [1, 1])],
      false,
    ],
    ['enough in two phases together: exp(-20/2)', [phase([5, 5], [1, 1]), phase([5, 5], [1, 1])], true],
    [
      'many, but in an unequally depleted phase',
      [phase([5, 5], [1, 1]), phase([500, 500], [1, 1], true)],
      false,
    ],
    ['many, with one share', [phase([500, 0], [1, 0])], false],
  ])('reports whether a mismatch could be detected: %s', (_, phases, isDetectable) => {
    expect(sampleRatioOfPhases(phases)).toMatchObject({ isMismatch: false, isDetectable });
  });

  it('detects a mismatch over two phases that are each too small to show one', () => {
    const half = phase([10, 0], [1, 1]);
    expect(sampleRatioOfPhases([half])).toMatchObject({ isMismatch: false, isDetectable: false });
    expect(sampleRatioOfPhases([half, half])).toMatchObject({ isMismatch: true, isDetectable: true });
  });

  it('finds no mismatch after a published change of shares', () => {
    const phases = [phase([9_000, 1_000], [9, 1]), phase([5_000, 5_000], [1, 1])];
    expect(sampleRatioOfPhases(phases)).toMatchObject({ chiSquare: 0, pValue: 1, isMismatch: false });
    expect(sampleRatio([14_000, 6_000], [1, 1]).isMismatch).toBe(true);
  });

  it('reports no untested participants if the only phase is too small', () => {
    expect(sampleRatio([2, 1], [1, 1]).untested).toEqual({ depleted: 0, few: 0, unknown: 0 });
  });

  it('ignores phases that are too small or unequally depleted', () => {
    const sound = phase([9_400, 600], [9, 1]);
    const result = sampleRatioOfPhases([sound, phase([30, 19], [9, 1]), phase([900, 100], [1, 1], true)]);
    expect(result).toEqual({
      ...sampleRatio(sound.counts, sound.weights),
      untested: { depleted: 1_000, few: 49, unknown: 0 },
    });
    expect(result.isMismatch).toBe(true);
    const nothing = {
      chiSquare: 0,
      degreesOfFreedom: 0,
      pValue: 1,
      isMismatch: false,
      isDetectable: false,
    };
    const small = [phase([3, 1], [1, 1]), phase([9, 0], [1, 1])];
    expect(sampleRatioOfPhases(small)).toEqual({
      ...nothing,
      untested: { depleted: 0, few: 13, unknown: 0 },
    });
    expect(sampleRatioOfPhases([])).toEqual({ ...nothing, untested: { depleted: 0, few: 0, unknown: 0 } });
  });
});
