import r from './fixtures/r.json';
import sequential from './fixtures/sequential.json';
import { sampleRatio } from './sample-ratio';
import { sequentialSampleRatio } from './sequential-sample-ratio';

describe('sampleRatio', () => {
  it.each(r.chiSquare.cases)('agrees with chisq.test on $counts', ({ counts, weights, ...expected }) => {
    const result = sampleRatio(counts, weights);
    expect(result.chiSquare / expected.chiSquare).toBeCloseTo(1, 10);
    expect(result.degreesOfFreedom).toBe(expected.degreesOfFreedom);
    expect(result.pValue / expected.pValue).toBeCloseTo(1, 9);
    expect(result.isMismatch).toBe(expected.pValue < 0.001);
  });

  // Kohavi, Tang, Xu (2020), Trustworthy Online Controlled Experiments, chapter 21, scenario 1: p = 1.8E-6.
  it('raises the alarm of the textbook', () => {
    expect(sampleRatio([821_588, 815_482], [50, 50])).toMatchObject({
      pValue: expect.closeTo(1.8e-6, 7) as number,
      isMismatch: true,
    });
  });

  // The critical value of chi-square with 1 df at 0.001 is 10.828; these are 10.89 and 10.6276.
  it('raises the alarm below 0.001, not before', () => {
    expect(sampleRatio([4_835, 5_165], [1, 1])).toMatchObject({ chiSquare: 10.89, isMismatch: true });
    expect(sampleRatio([4_837, 5_163], [1, 1])).toMatchObject({ chiSquare: 10.6276, isMismatch: false });
  });

  it('leaves variations without weight out', () => {
    const result = sampleRatio([50_000, 777, 52_000], [1, 0, 1]);
    expect(result).toEqual(sampleRatio([50_000, 52_000], [1, 1]));
  });

  it('raises no alarm over a handful of participants', () => {
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
  ])('has nothing to say about %j with %j', (counts, weights, degreesOfFreedom) => {
    const nothing = { chiSquare: 0, degreesOfFreedom, pValue: 1, isMismatch: false };
    expect(sampleRatio(counts, weights)).toEqual(nothing);
    expect(sequentialSampleRatio(counts, weights)).toBe(1);
  });
});

describe('sequentialSampleRatio', () => {
  it.each(sequential.sampleRatio.cases)('$counts with $weights', ({ counts, weights, pValue }) => {
    expect(sequentialSampleRatio(counts, weights) / pValue).toBeCloseTo(1, 8);
  });
});
