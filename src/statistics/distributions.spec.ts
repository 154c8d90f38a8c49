import { BetaPosterior } from './beta-posterior';
import {
  chiSquareUpperTail,
  normalCdf,
  normalCritical,
  normalQuantile,
  normalTwoSided,
  tCritical,
  tTwoSided,
} from './distributions';
import distributions from './fixtures/distributions.json';

describe('the normal distribution', () => {
  it.each(distributions.normal.cases)('has the expected tails at z = $z', ({ z, twoSided, cdf }) => {
    expect(normalTwoSided(z) / twoSided).toBeCloseTo(1, 11);
    expect(normalCdf(z) / cdf).toBeCloseTo(1, 11);
  });

  it.each(distributions.normalQuantile.cases)(
    'has the expected quantile at $probability',
    ({ probability, z }) => {
      expect(normalQuantile(probability)).toBeCloseTo(z, 12);
    },
  );

  it('has a critical value of 1.96 for an error of 5 %', () => {
    expect(normalCritical(0.05)).toBeCloseTo(1.959963984540054, 14);
  });
});

describe("Student's t", () => {
  it.each(distributions.studentT.cases)(
    'has the expected tails at t = $t with $nu df',
    ({ t, nu, twoSided }) => {
      expect(tTwoSided(t, nu) / twoSided).toBeCloseTo(1, 9);
    },
  );

  it.each(distributions.studentTCritical.cases)(
    'has $alpha in both tails beyond the critical value for $nu df',
    (expected) => {
      expect(tCritical(expected.alpha, expected.nu) / expected.t).toBeCloseTo(1, 11);
    },
  );
});

describe('chi-square', () => {
  it.each(distributions.chiSquare.cases)(
    'has the expected upper tail at $chiSquare with $df df',
    (expected) => {
      expect(chiSquareUpperTail(expected.chiSquare, expected.df) / expected.upper).toBeCloseTo(1, 11);
    },
  );
});

describe('the posterior of a rate', () => {
  it.each(distributions.beta.cases)(
    'has the expected tails at the angle $angle for $successes of $trials',
    (expected) => {
      const posterior = new BetaPosterior(expected);
      const { lower, upper } = posterior.around(expected.angle);
      expect(lower / expected.lower).toBeCloseTo(1, 9);
      expect(upper / expected.upper).toBeCloseTo(1, 9);
      expect(posterior.cumulative(expected.angle)).toBeCloseTo(expected.lower, 11);
    },
  );

  it('returns the same probabilities for several angles at once, even outside its range', () => {
    const posterior = new BetaPosterior({ successes: 30, trials: 1_000 });
    const angles = [-1, 0, posterior.low, 0.17, posterior.centre, 0.18, posterior.high, 1, 2];
    expect([...posterior.cumulatives(Float64Array.from(angles))]).toEqual(
      angles.map((angle) => posterior.cumulative(angle)),
    );
  });
});
