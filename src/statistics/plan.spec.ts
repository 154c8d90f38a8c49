import r from './fixtures/r.json';
import {
  type Baseline,
  looksInflation,
  lookTimes,
  planExperiment,
  type PlanRequest,
  sampleSizeForMeans,
  sampleSizeForRates,
} from './plan';

const REQUEST: PlanRequest = {
  baseline: { rate: 0.2 },
  minimumEffect: 0.25,
  shares: [50, 50],
  power: 0.8,
  alpha: 0.05,
  method: 'frequentist',
  upliftPrior: null,
  dailyParticipants: null,
  minRuntimeDays: 7,
};

const equal = (count: number): number[] => Array.from({ length: count }, (_, k) => (k + 1) / count);

describe('looksInflation', () => {
  it('is 1 for tests with a single look', () => {
    expect(looksInflation('frequentist', 0.05, 0.8, 28, 7)).toBe(1);
    expect(looksInflation('bayesian', 0.05, 0.8, 28, 7)).toBe(1);
  });

  // The inflation factors are from rpact 3.3.2: getDesignCharacteristics of the asOF designs with 5 equal looks, and
  // with 20 looks from 9/28 on, at a power of 80 %.
  it.each([
    [5, 1, 1.02471988],
    [28, 9, 1.049092],
  ])(
    'agrees with rpact for the method planned, with looks until day %d from day %d on',
    (days, first, expected) => {
      expect(looksInflation('planned', 0.05, 0.8, days, first)).toBeCloseTo(expected, 4);
    },
  );

  // In a simulation with daily looks from day 7 to day 28, a power of 80 % needs 1.73 times the sample of the fixed
  // test.
  it('is about 1.73 for the method sequential', () => {
    expect(looksInflation('sequential', 0.05, 0.8, 28, 7)).toBeCloseTo(1.73, 1);
  });

  it('skips looks with less than 1 % of new information', () => {
    expect(lookTimes(1, 5)).toEqual(equal(5));
    expect(lookTimes(1, 100)).toEqual(equal(100));
    const times = lookTimes(1, 365);
    expect(times.length).toBeLessThan(101);
    expect(times.at(-1)).toBe(1);
  });
});

describe('planExperiment', () => {
  // The sample sizes are from R's power.prop.test with the p1, p2, sig.level and power of the fixture.
  it.each(r.sampleSizeOfRates.cases)('agrees with R for $p1 and $p2', ({ p1, p2, n, alpha, power }) => {
    const answer = planExperiment({
      ...REQUEST,
      baseline: { rate: p1 },
      minimumEffect: p2 / p1 - 1,
      alpha,
      power,
    });
    expect(answer!.perVariation).toEqual([Math.ceil(n), Math.ceil(n)]);
    expect(answer!.participants).toBe(2 * Math.ceil(n));
  });

  // The formula gives 2·(1.959964 + 0.841621)²·(100/5)² = 6,279.1 participants per variation; R's power.t.test(delta =
  // 5, sd = 100)$n is 6,280.06.
  it('agrees with the formula for means', () => {
    const answer = planExperiment({ ...REQUEST, baseline: { mean: 50, deviation: 100 }, minimumEffect: 0.1 });
    expect(answer!.perVariation).toEqual([6_280, 6_280]);
  });

  // The fixture is from bsamsize of the R package Hmisc: rates of 0.1 and 0.12, with two participants in the variation
  // for each one in the control.
  it('uses the variation with the smallest share', () => {
    const { p1, p2, alpha, power, n1, n2 } = r.unequalSampleSize.cases[0];
    const unequal = { ...REQUEST, baseline: { rate: p1 }, minimumEffect: p2 / p1 - 1, alpha, power };
    const two = planExperiment({ ...unequal, shares: [1, 2] });
    expect(two!.perVariation).toEqual([Math.ceil(n1), Math.ceil(n2)]);
    const three = planExperiment({ ...unequal, shares: [20, 40, 40] });
    expect(three!.perVariation).toEqual([Math.ceil(n1), Math.ceil(n2), Math.ceil(n2)]);
  });

  // R 4.2.2: uniroot on function(n) d/SE - qnorm(0.95)*sqrt(1 + SE^2/P^2) - qnorm(0.8), where SE = sqrt(V/n), V =
  // p0*(1-p0) + p1*(1-p1)/r or sd^2*(1 + 1/r), and P = prior * baseline. With a flat prior and equal groups, it is close
  // to power.prop.test(p1 = 0.03, p2 = 0.033, power = 0.8, alternative = "one.sided")$n, which is 41,913.6.
  it.each<[Baseline, number, number[], number | null, number]>([
    [{ rate: 0.03 }, 0.1, [1, 1], null, 41_911.5554759],
    [{ rate: 0.03 }, 0.1, [1, 1], 0.02, 89_699.0954364],
    [{ rate: 0.03 }, 0.1, [1, 1], 0.1, 45_953.9207055],
    [{ rate: 0.03 }, -0.1, [1, 1], 0.1, 41_705.8324464],
    [{ rate: 0.03 }, 0.1, [9, 1], null, 217_281.852215],
    [{ rate: 0.03 }, 0.1, [9, 1], 0.1, 238_238.664589],
    [{ mean: 50, deviation: 100 }, 0.1, [1, 1], null, 4_946.04578562],
    [{ mean: 50, deviation: 100 }, 0.1, [1, 1], 0.1, 5_423.09139466],
  ])(
    'agrees with R on the rule of the method bayesian, for %j, an effect of %d, shares of %j and the prior %d',
    (baseline, minimumEffect, shares, upliftPrior, n) => {
      const changes = { baseline, minimumEffect, shares, upliftPrior };
      const answer = planExperiment({ ...REQUEST, method: 'bayesian', ...changes });
      expect(answer!.perVariation).toEqual(shares.map((share) => Math.ceil((n * share) / shares[0])));
    },
  );

  it('uses the prior only for the method bayesian', () => {
    for (const method of ['frequentist', 'sequential', 'planned'] as const) {
      expect(planExperiment({ ...REQUEST, method, upliftPrior: 0.02 })).toEqual(
        planExperiment({ ...REQUEST, method }),
      );
    }
  });

  it('plans at least one participant for each variation', () => {
    const request = { ...REQUEST, method: 'bayesian' as const, alpha: 0.5, power: 0.5 };
    expect(planExperiment(request)!.perVariation).toEqual([1, 1]);
    expect(planExperiment({ ...request, upliftPrior: 0.1 })!.perVariation).toEqual([1, 1]);
  });

  it('computes the days from the participants per day, but never fewer than the minimum runtime', () => {
    // Each of the two variations needs 1,094 participants (Evan Miller, "How Not To Run an A/B Test", by the formula of
    // power.prop.test).
    expect(planExperiment({ ...REQUEST, dailyParticipants: 100 })!.days).toBe(22);
    expect(planExperiment({ ...REQUEST, dailyParticipants: 1_000 })!.days).toBe(7);
  });

  it('returns the planned effect as the minimum detectable effect of the planned sample', () => {
    for (const method of ['frequentist', 'bayesian', 'sequential', 'planned'] as const) {
      const request = { ...REQUEST, method, upliftPrior: 0.1 };
      const size = planExperiment(request)!.participants;
      const answer = planExperiment({ ...request, dailyParticipants: size / 28 })!;
      expect(answer.minimumDetectableEffect.map(({ day }) => day)).toEqual([7, 14, 21, 28]);
      expect(answer.minimumDetectableEffect[3].effect).toBeCloseTo(0.25, 3);
      const effects = answer.minimumDetectableEffect.map(({ effect }) => effect!);
      expect(effects).toEqual([...effects].sort((a, b) => b - a));
    }
  });

  it('returns detectable decreases if a decrease is planned, but no impossible ones', () => {
    const fall = planExperiment({ ...REQUEST, minimumEffect: -0.2, dailyParticipants: 500 })!;
    expect(fall.minimumDetectableEffect[3].effect).toBeLessThan(0);
    const few = planExperiment({
      ...REQUEST,
      baseline: { rate: 0.9 },
      minimumEffect: 0.1,
      dailyParticipants: 3,
    })!;
    expect(few.minimumDetectableEffect[0].effect).toBeNull();
    expect(planExperiment({ ...REQUEST, minimumEffect: 5 })).toBeNull();
  });
});

describe('the minimum detectable effects of a plan', () => {
  it.each(['frequentist', 'bayesian', 'sequential', 'planned'] as const)(
    'are undefined before the minimum runtime, with the method %s',
    (method) => {
      const answer = planExperiment({ ...REQUEST, method, dailyParticipants: 500, minRuntimeDays: 15 })!;
      const defined = answer.minimumDetectableEffect.map(({ effect }) => effect !== null);
      expect(defined).toEqual([false, false, true, true]);
    },
  );

  // R: (qnorm(0.975) + qnorm(0.8))*100*sqrt(2/(15*c(21, 28)))/20 is 1.1162 and 0.96664.
  it('are undefined for means where a decrease would exceed 100 %', () => {
    const baseline = { mean: 20, deviation: 100 };
    const effectsOf = (minimumEffect: number) =>
      planExperiment({ ...REQUEST, baseline, minimumEffect, dailyParticipants: 30 })!.minimumDetectableEffect;
    expect(effectsOf(-0.5).map(({ effect }) => effect)).toEqual([
      null,
      null,
      null,
      expect.closeTo(-0.96664, 4) as number,
    ]);
    expect(effectsOf(0.5)[0].effect).toBeGreaterThan(1);
  });
});

describe('sampleSizeForRates', () => {
  it.each(r.sampleSizeOfRates.cases)(
    'agrees with power.prop.test on $p1 and $p2',
    ({ p1, p2, n, ...plan }) => {
      const size = sampleSizeForRates([p1, p2], plan);
      expect(size!.control / n).toBeCloseTo(1, 9);
      expect(size!.variation / n).toBeCloseTo(1, 9);
    },
  );

  // R documentation of power.prop.test: p1 = .50, p2 = .75, power = .90 gives n = 76.7.
  it("agrees with the sample size of 76.7 in R's documentation", () => {
    expect(sampleSizeForRates([0.5, 0.75], { alpha: 0.05, power: 0.9 })?.control).toBeCloseTo(76.7, 1);
  });

  it.each(r.unequalSampleSize.cases)('agrees with bsamsize on $p1 and $p2, 1 to $ratio', (expected) => {
    const { p1, p2, alpha, power, ratio, n1, n2 } = expected;
    const size = sampleSizeForRates([p1, p2], { alpha, power }, ratio);
    expect(size!.control / n1).toBeCloseTo(1, 9);
    expect(size!.variation / n2).toBeCloseTo(1, 9);
  });

  it('is null for equal rates', () => {
    expect(sampleSizeForRates([0.1, 0.1], { alpha: 0.05, power: 0.8 })).toBeNull();
  });
});

describe('sampleSizeForMeans', () => {
  // For Cohen's d of 0.5, 0.2 and 0.8, the formula with normal quantiles gives 2·(1.959964 + 0.841621)²/d² = 62.79,
  // 392.44 and 24.53.
  it.each([
    [0.5, 62.79],
    [0.2, 392.44],
    [-0.8, 24.53],
  ])('agrees with the formula for a difference of %d standard deviations', (difference, each) => {
    const size = sampleSizeForMeans(difference * 7, 7, { alpha: 0.05, power: 0.8 });
    expect(size!.control).toBeCloseTo(each, 2);
    expect(size!.variation).toBe(size!.control);
  });

  // R 4.2.2, power.t.test(delta, sd = 7, power = 0.8)$n: 63.76576 and 393.40666, which is z²/4 = 0.96 more than with
  // normal quantiles.
  it.each([
    [3.5, 63.76576],
    [1.4, 393.4057],
  ])('is about one less than in power.t.test for a difference of %d', (difference, n) => {
    const size = sampleSizeForMeans(difference, 7, { alpha: 0.05, power: 0.8 });
    expect(n - size!.control).toBeCloseTo(0.96, 1);
  });

  it('respects the ratio of the groups', () => {
    const equal = sampleSizeForMeans(1, 7, { alpha: 0.05, power: 0.8 })!;
    const unequal = sampleSizeForMeans(1, 7, { alpha: 0.05, power: 0.8 }, 0.25)!;
    expect(unequal.control / equal.control).toBeCloseTo(2.5, 12);
    expect(unequal.variation / equal.control).toBeCloseTo(0.625, 12);
  });

  it('is null if there is no difference', () => {
    expect(sampleSizeForMeans(0, 1, { alpha: 0.05, power: 0.8 })).toBeNull();
  });
});
