import { normalCritical } from './distributions';
import { GroupSequentialTest, obrienFlemingSpending } from './group-sequential';

/** The critical values of looks with O'Brien-Fleming alpha spending. The last look spends all that remains. */
function criticalValues(times: readonly number[], alpha: number): number[] {
  const test = new GroupSequentialTest();
  let spent = 0;
  return times.map((time, index) => {
    const target = index === times.length - 1 ? alpha : obrienFlemingSpending(time, alpha);
    const critical = test.spend(time, target - spent);
    spent = target;
    return critical;
  });
}

const equal = (count: number, from = 1): number[] =>
  Array.from({ length: count - from + 1 }, (_, k) => (from + k) / count);

describe('GroupSequentialTest', () => {
  // The critical values are from rpact 3.3.2 in R 4.2.2, getDesignGroupSequential(informationRates, alpha, sided = 2,
  // typeOfDesign = "asOF"); those of the first row are also in Reboussin, DeMets, Kim, Lan 2000, Controlled Clin.
  // Trials 21:190 (ldbounds, gsDesign).
  it.each([
    [0.05, equal(5), [4.876885, 3.357012, 2.68028, 2.289817, 2.031032]],
    [0.05, equal(4), [4.332634, 2.963132, 2.359044, 2.01409]],
    [0.01, [0.3, 0.45, 0.6, 1], [4.992726, 4.025123, 3.449697, 2.582765]],
    [0.1, [0.5, 1], [2.537988, 1.662107]],
    [
      0.05,
      equal(10),
      [6.991352, 4.877024, 3.929683, 3.367079, 2.98933, 2.714809, 2.504077, 2.335829, 2.197503, 2.081176],
    ],
    [
      0.05,
      equal(28, 9),
      [
        3.784438, 3.609906, 3.439973, 3.2905, 3.158645, 3.041378, 2.93624, 2.841291, 2.754991, 2.676106,
        2.603632, 2.536746, 2.474764, 2.417117, 2.36332, 2.312964, 2.265696, 2.221214, 2.179254, 2.139587,
      ],
    ],
  ])('has the critical values of rpact for an alpha of %d and looks at %j', (alpha, times, expected) => {
    const found = criticalValues(times, alpha);
    found.forEach((critical, k) => {
      // For tiny errors, rpact's own search is accurate only to three digits.
      expect(critical).toBeCloseTo(expected[k], expected[k] > 4.5 ? 3 : 4);
    });
  });

  // With 3.440747 as the third critical value, pmvnorm (mvtnorm, GenzBretz, abseps = 1e-10) gives 0.0005795429 as the
  // probability of stopping at the third look. The error to spend there, alpha*(0.6) - alpha*(0.31), is 0.0005795428.
  it('remains exact if two looks are close', () => {
    const [, , third] = criticalValues([0.3, 0.31, 0.6, 1], 0.01);
    expect(third).toBeCloseTo(3.440747, 5);
  });

  // Pocock 1977, Biometrika 64:191, table 1: 2.413 for five equal looks at 5 % (rpact: 2.413176).
  it('reproduces the error of constant boundaries', () => {
    const test = new GroupSequentialTest();
    equal(5).forEach((time) => {
      test.stopAbove(time, 2.413176);
    });
    expect(2 * test.power(0)).toBeCloseTo(0.05, 6);
  });

  it('equals the fixed test if there is only one look', () => {
    const test = new GroupSequentialTest();
    expect(test.spend(1, 0.05)).toBeCloseTo(normalCritical(0.05), 10);
    expect(test.power(normalCritical(0.05))).toBeCloseTo(0.5, 10);
  });

  // The powers are from mvtnorm 1.1-3 in R 4.2.2: the probability that a look is the first to stop, from
  // pmvnorm(algorithm = Miwa(512)), summed over the looks.
  it.each([
    [2.8, 0.44483098],
    [3.5, 0.70718549],
  ])('agrees with multivariate normal probabilities on the power at drift %d', (drift, power) => {
    const test = new GroupSequentialTest();
    [3.264293, 3.083569, 3.043501, 3.035209].forEach((critical, k) => {
      test.stopAbove((k + 1) / 4, critical);
    });
    expect(test.power(drift)).toBeCloseTo(power, 5);
  });

  it('never stops at a look without error to spend', () => {
    const test = new GroupSequentialTest();
    expect(test.spend(0.01, 0)).toBe(Infinity);
    expect(test.spend(1, 0.05)).toBeCloseTo(normalCritical(0.05), 6);
  });

  it.each([0.5, 0.4])('handles a look whose information went from 0.5 to %d', (information) => {
    const test = new GroupSequentialTest();
    const first = test.spend(0.5, 0.03);
    expect(test.spend(information, 0.01)).toBeLessThan(first + 0.05);
    expect(2 * test.power(0)).toBeCloseTo(0.04, 6);
  });

  it('has the same critical values if the information is in another unit', () => {
    const times = [0.1, 0.3, 0.31, 0.8].map((time) => [time, 1e6 * time]);
    const [one, other] = [new GroupSequentialTest(), new GroupSequentialTest()];
    for (const [time, scaled] of times) {
      expect(one.spend(time, 0.01)).toBeCloseTo(other.spend(scaled, 0.01), 8);
    }
  });

  it('handles a last look with hardly any new information', () => {
    const test = new GroupSequentialTest();
    const first = test.spend(0.999_99, 0.049);
    expect(test.spend(1, 0.001)).toBeLessThan(first + 0.05);
    expect(2 * test.power(0)).toBeCloseTo(0.05, 6);
  });
});

describe('obrienFlemingSpending', () => {
  // The two-sided spending of ldbounds: 4(1 - Φ(2.2414/√t)), which is alpha at 1.
  it('rises from 0 to alpha', () => {
    expect(obrienFlemingSpending(0.5, 0.05)).toBeCloseTo(0.00305, 5);
    expect([1, 1.2].map((time) => obrienFlemingSpending(time, 0.05))).toEqual([0.05, 0.05]);
    expect(obrienFlemingSpending(0.001, 0.05)).toBeLessThan(1e-300);
  });
});
