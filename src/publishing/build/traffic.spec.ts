import { liveExperiment, liveVariations } from '../../../test/support/live-definitions';
import { sampleRatioOfPhases } from '../../statistics/srm';
import type { LiveExperiment } from '../definitions';
import { assign, Rule, subjectOf } from '../evaluation';
import { ruleOf } from './bucketing';

/*
 * The sample ratio when traffic goes from 10 % at 90/10 to 100 % at 50/50, and half of the visitors return. Visitor and
 * experiment ids are fixed, so every run has the same outcome.
 */

const EXPERIMENTS = Array.from({ length: 20 }, (_, index) => 1_000 + index);
const VISITORS = 10_000;
const RETURNING = VISITORS / 2;

type Way = Pick<LiveExperiment, 'traffic_filter'>;

const ruleFor = (id: number, shares: number[], traffic: number, way: Way): Rule =>
  ruleOf(
    {
      ...liveExperiment({ id, traffic, variations: liveVariations(1, shares) }),
      traffic_filter: undefined,
      ...way,
    },
    'excluded',
  );

const variationOf = (rule: Rule, visitor: string): number | null =>
  assign(rule, subjectOf(visitor, {})).variation;

/**
 * New participants of both variations, for each phase. Returning participants keep their variation and are not counted
 * again; other returning visitors enter in the second phase.
 */
function countsByPhase(id: number, way: Way): [number[], number[]] {
  const [before, after] = [ruleFor(id, [9_000, 1_000], 1_000, way), ruleFor(id, [5_000, 5_000], 10_000, way)];
  const counts: [number[], number[]] = [
    [0, 0],
    [0, 0],
  ];
  for (let number = 0; number < VISITORS + RETURNING; number += 1) {
    const visitor = `visitor-${number}`;
    const isEarly = number < VISITORS;
    const first = isEarly ? variationOf(before, visitor) : null;
    if (first !== null) {
      counts[0][first - 1] += 1;
    } else if (number >= RETURNING) {
      counts[1][variationOf(after, visitor)! - 1] += 1;
    }
  }
  return counts;
}

type Counts = ReturnType<typeof countsByPhase>;

const mismatches = (experiments: readonly Counts[], isUnequallyDepleted = false): number =>
  experiments.filter(
    ([first, second]) =>
      sampleRatioOfPhases([
        { counts: first, weights: [90, 10] },
        { counts: second, weights: [50, 50], isUnequallyDepleted },
      ]).isMismatch,
  ).length;

describe('when shares change after traffic below 100 %', () => {
  it('a separate hash for traffic keeps the sample ratio', () => {
    const experiments = EXPERIMENTS.map((id) => countsByPhase(id, { traffic_filter: true }));
    expect(mismatches(experiments)).toBe(0);
  });

  it('a single hash causes false mismatches, unless the second phase is excluded', () => {
    const experiments = EXPERIMENTS.map((id) => countsByPhase(id, {}));
    expect(mismatches(experiments)).toBeGreaterThan(EXPERIMENTS.length / 2);
    expect(mismatches(experiments, true)).toBe(0);
  });
});

it('traffic is decided independently of the variation', () => {
  const [whole, tenth] = [10_000, 1_000].map((traffic) =>
    ruleFor(7, [5_000, 5_000], traffic, { traffic_filter: true }),
  );
  const cells = [0, 0, 0, 0];
  for (let number = 0; number < 100_000; number += 1) {
    const visitor = `visitor-${number}`;
    const isIn = variationOf(tenth, visitor) !== null;
    cells[(isIn ? 2 : 0) + variationOf(whole, visitor)! - 1] += 1;
  }
  const [a, b, c, d] = cells;
  const chiSquare = ((a * d - b * c) ** 2 * 100_000) / ((a + b) * (c + d) * (a + c) * (b + d));
  // Upper critical value for 0.001 with one degree of freedom: NIST/SEMATECH e-Handbook, 1.3.6.7.4.
  expect(chiSquare).toBeLessThan(10.828);
  expect((c + d) / 100_000).toBeCloseTo(0.1, 2);
});
