import {
  chanceAboveZero,
  credibleInterval,
  decisiveError,
  gaussianPosterior,
  lossBelowZero,
  posteriorCritical,
} from './gaussian-posterior';

describe('the posterior of an effect', () => {
  it('is the estimate itself under a flat prior', () => {
    expect(gaussianPosterior(0.31, 0.42)).toEqual({ mean: 0.31, deviation: 0.42 });
  });

  // Gelman et al., Bayesian Data Analysis, section 2.5: the precisions 1/4 and 1/12 sum to 1/3, so the weights are 3/4
  // and 1/4.
  it('weighs the estimate and the prior by their precision', () => {
    const { mean, deviation } = gaussianPosterior(8, 2, { mean: 4, deviation: Math.sqrt(12) });
    expect(mean).toBeCloseTo(7, 14);
    expect(deviation).toBeCloseTo(Math.sqrt(3), 14);
  });

  // Φ(1) = 0.8413447460685429; the unit normal loss L(1) = 0.08331547058768632, L(0) = 1/√(2π) (any table of the loss
  // function).
  it('has the chance of an improvement and the expected loss of the normal distribution', () => {
    const effect = { mean: 3, deviation: 3 };
    expect(chanceAboveZero(effect)).toBeCloseTo(0.8413447460685429, 14);
    expect(lossBelowZero(effect)).toBeCloseTo(3 * 0.08331547058768632, 13);
    expect(lossBelowZero({ mean: 0, deviation: 2 })).toBeCloseTo(2 / Math.sqrt(2 * Math.PI), 14);
    expect(lossBelowZero({ mean: -3, deviation: 3 })).toBeCloseTo(3 * (1 + 0.08331547058768632), 13);
  });

  it.each([null, 0.5, 0.02])(
    'reaches the significance at the critical estimate, with the prior %d',
    (deviation) => {
      const estimate = posteriorCritical(0.05, 0.1, deviation) * 0.1;
      const prior = deviation === null ? undefined : { mean: 0, deviation };
      expect(chanceAboveZero(gaussianPosterior(estimate, 0.1, prior))).toBeCloseTo(0.95, 12);
    },
  );

  // P(estimate >= critical) = Φ((effect - critical)/SE), and Φ(0.841621) = 0.8.
  it.each([null, 0.5, 0.02])('decides with the power at the decisive error, with the prior %d', (prior) => {
    for (const effect of [0.3, -0.3]) {
      const error = decisiveError(effect, { alpha: 0.05, power: 0.8 }, prior);
      expect(0.3 / error - posteriorCritical(0.05, error, prior)).toBeCloseTo(0.8416212335729143, 9);
    }
  });

  it('never has a negative expected loss', () => {
    expect(lossBelowZero({ mean: 60, deviation: 1 })).toBe(0);
    expect(lossBelowZero({ mean: 9, deviation: 1 })).toBeGreaterThanOrEqual(0);
  });

  it('has 95 % of its probability within 1.96 standard deviations', () => {
    const [lower, upper] = credibleInterval({ mean: 1, deviation: 2 }, 0.05);
    expect(lower).toBeCloseTo(1 - 2 * 1.959963984540054, 13);
    expect(upper).toBeCloseTo(1 + 2 * 1.959963984540054, 13);
  });
});
