import * as fc from 'fast-check';
import { effectOf, rateEffect } from './effect';
import { fiellerInterval, relativeUplift } from './relative-uplift';

const rates = (x0: number, n0: number, x1: number, n1: number) =>
  effectOf([
    rateEffect({ control: { successes: x0, trials: n0 }, variation: { successes: x1, trials: n1 } }),
  ]);

/**
 * The distance of m1 - θ·m0 from 0 in standard errors, for θ = 1 + uplift. Inside Fieller's interval, it is at most the
 * critical value.
 */
const distance = (effect: ReturnType<typeof rates>, uplift: number): number => {
  const { control, variation } = effect;
  const theta = 1 + uplift;
  return (
    Math.abs(variation.value - theta * control.value) /
    Math.sqrt(variation.variance + theta ** 2 * control.variance)
  );
};

describe('fiellerInterval', () => {
  // Checks the definition (Fieller 1954, JRSS-B 16:175) at both ends.
  it('ends where the distance between the uplift and the data is the critical value', () => {
    const effect = rates(400, 10_000, 470, 10_000);
    const critical = (3 * effect.largestError) / effect.standardError;
    const [low, high] = fiellerInterval(effect, 3)!;
    expect(distance(effect, low)).toBeCloseTo(critical, 10);
    expect(distance(effect, high)).toBeCloseTo(critical, 10);
    expect(low).toBeLessThan(0.175);
    expect(high).toBeGreaterThan(0.175);
  });

  // The expected ends are θ - 1 for the two solutions θ of (p1 - θ·p0)/√(V1 + θ²·V0) = ±c·SE_max/SE, from uniroot in R
  // 4.2.2.
  it.each([
    [[100, 10_000, 60, 10_000], 1.959964, [-0.572816460085, -0.179717946681]],
    [[100, 10_000, 60, 10_000], 3, [-0.653752648981, -0.0288039486]],
    [[400, 10_000, 470, 10_000], 1.959964, [0.031574495506, 0.340299439399]],
    [[300, 9_000, 50, 1_000], 3, [-0.137437380383, 1.227035732598]],
    [[25, 500, 60, 1_000], 3, [-0.39108472087, 2.15434405807]],
  ] as [[number, number, number, number], number, [number, number]][])(
    'ends at the roots that R finds for %j with the critical value %d',
    (counts, critical, [low, high]) => {
      expect(fiellerInterval(rates(...counts), critical)).toEqual([
        expect.closeTo(low, 9) as number,
        expect.closeTo(high, 9) as number,
      ]);
    },
  );

  // 100 of 10,000 against 60 of 10,000. The difference is 3.2 standard errors away from 0; by the delta method, the
  // uplift is 4.1 standard errors away.
  it('does not contradict the difference, unlike the delta method', () => {
    const effect = rates(100, 10_000, 60, 10_000);
    expect(effect.difference / effect.standardError).toBeCloseTo(-3.2, 1);
    const { uplift, standardError } = relativeUplift(
      effect.control,
      effect.variation,
      { difference: effect.difference, interval: [0, 0] },
      1,
    )!;
    expect(uplift / standardError).toBeCloseTo(-4.1, 1);
    expect(fiellerInterval(effect, 3.15)![1]).toBeLessThan(0);
    expect(fiellerInterval(effect, 3.25)![1]).toBeGreaterThan(0);
  });

  it('excludes 0 if and only if the interval of the difference does', () => {
    const count = fc.integer({ min: 1, max: 999 });
    const few = fc.oneof(fc.constant(0), count);
    const critical = fc.double({ min: 0.5, max: 6, noNaN: true });
    fc.assert(
      fc.property(count, few, fc.integer({ min: 1000, max: 20_000 }), critical, (x0, x1, n1, c) => {
        const effect = rates(x0, 1000, x1, n1);
        const interval = fiellerInterval(effect, c);
        const excess = Math.abs(effect.difference) - c * effect.largestError;
        fc.pre(interval !== null && Math.abs(excess) > 1e-9);
        expect(interval[0] > 0 || interval[1] < 0).toBe(excess > 0);
      }),
    );
  });

  it('is mirrored for a negative control', () => {
    const effect = rates(400, 10_000, 470, 10_000);
    const negative = (value: number) => ({ ...effect.control, value: -value });
    const mirrored = {
      ...effect,
      control: negative(effect.control.value),
      variation: { ...effect.variation, value: -effect.variation.value },
    };
    const [low, high] = fiellerInterval(effect, 3)!;
    expect(fiellerInterval(mirrored, 3)).toEqual([-high, -low]);
  });

  // 60 of 1,000 against none: Fieller's set is the single point -100 %.
  it('is as wide as the difference interval for a variation of exactly 0', () => {
    const effect = rates(60, 1000, 0, 1000);
    const half = (3 * effect.largestError) / 0.06;
    expect(half).toBeGreaterThan(0.3);
    expect(fiellerInterval(effect, 3)).toEqual([
      expect.closeTo(-1 - half, 12) as number,
      expect.closeTo(-1 + half, 12) as number,
    ]);
    const mirrored = { ...effect, control: { ...effect.control, value: -0.06 }, difference: 0.06 };
    expect(fiellerInterval(mirrored, 3)).toEqual([
      expect.closeTo(1 - half, 12) as number,
      expect.closeTo(1 + half, 12) as number,
    ]);
    expect(fiellerInterval(rates(6, 1000, 0, 1000), 3)).toBeNull();
  });

  it('is not defined for a control that may be 0, or without an error', () => {
    expect(fiellerInterval(rates(4, 1000, 100, 1000), 3)).toBeNull();
    expect(fiellerInterval(rates(0, 1000, 100, 1000), 3)).toBeNull();
    expect(fiellerInterval(rates(0, 10, 10, 10), 3)).toBeNull();
  });
});
