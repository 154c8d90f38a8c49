import * as fc from 'fast-check';
import { evaluate } from './evaluation';
import type { ArmTotals, ExperimentTotals, PhaseTotals } from './input';
import { CORRECTIONS, METHODS, type VariationStatistics, type Verdict } from './result';
import { NOTHING } from './strata';

const count = fc.oneof(
  fc.constantFrom(0, 1, 2),
  fc.nat({ max: 50 }),
  fc.nat({ max: 10_000 }),
  fc.nat({ max: 100_000_000 }),
);

/**
 * Totals whose sums are possible: the values of `spenders` participants vary around a mean, and those of all others are
 * 0.
 */
const soundTotals: fc.Arbitrary<ArmTotals> = fc
  .tuple(
    count,
    count,
    count,
    fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }),
    fc.bigInt({ min: 0n, max: 10n ** 12n }),
  )
  .map(([a, b, more, mean, spread]) => {
    const [converters, participants] = [Math.min(a, b), Math.max(a, b)];
    const spenders = BigInt(converters);
    return {
      ...NOTHING,
      participants,
      converters,
      conversions: converters + (converters > 0 ? more : 0),
      conversionsSquared: BigInt(converters + more) ** 2n,
      valueByConversions: spenders * mean,
      value: spenders * mean,
      valueSquared: spenders * (mean * mean + (spenders > 1n ? spread * spread : 0n)),
    };
  });

const brokenTotals: fc.Arbitrary<ArmTotals> = fc.record({
  conversionsSquared: fc.constant(null),
  valueByConversions: fc.constant(null),
  uncappedValue: fc.constant(null),
  participants: count,
  converters: fc.integer({ min: -5, max: 20_000 }),
  conversions: count,
  value: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
  valueSquared: fc.bigInt({ min: 0n, max: 10n ** 30n }),
});

/** The same counts in each of one to three phases, with different shares. */
const phasesOf = (arms: ArmTotals[]): fc.Arbitrary<PhaseTotals[]> =>
  fc.integer({ min: 1, max: 3 }).map((count) =>
    Array.from({ length: count }, (_, phase) => ({
      shares: new Map(arms.map((_arm, i) => [i, i === 0 ? phase : 1])),
      totals: new Map(arms.map((arm, i) => [i, arm])),
    })),
  );

const experimentOf = (totals: fc.Arbitrary<ArmTotals>): fc.Arbitrary<ExperimentTotals> =>
  fc.integer({ min: 0, max: 4 }).chain((size) =>
    fc.record({
      rules: fc.record({
        method: fc.constantFrom(...METHODS),
        correction: fc.constantFrom(...CORRECTIONS),
        significance: fc.constantFrom(50, 90, 95, 99.99),
        minConversions: fc.constantFrom(0, 25),
        minRuntimeDays: fc.constantFrom(0, 7),
      }),
      arms: fc
        .nat({ max: size })
        .map((original) =>
          Array.from({ length: size }, (_, i) => ({ id: i, name: `${i}`, isOriginal: i === original })),
        ),
      goals: fc.array(
        fc.record({
          hasValue: fc.boolean(),
          direction: fc.constantFrom('increase' as const, 'decrease' as const),
          counting: fc.constantFrom('unique' as const, 'every' as const),
          phases: fc.array(totals, { minLength: size, maxLength: size }).chain((arms) => phasesOf(arms)),
          looks: fc.constant(null),
        }),
        { maxLength: 2 },
      ),
      tuning: fc.constant(new Map()),
      upliftPrior: fc.constantFrom(null, 0.1),
      plan: fc.constant(null),
      daysRunning: fc.double({ min: 0, max: 400, noNaN: true }),
      isClosed: fc.boolean(),
      hasSampleRatioMismatch: fc.boolean(),
    }),
  );

const experiments = fc.oneof(experimentOf(soundTotals), experimentOf(fc.oneof(soundTotals, brokenTotals)));

/** All values in an object or list that are not themselves objects or lists. */
function leaves(value: unknown): unknown[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [value];
}

const each = (check: (variation: VariationStatistics, input: ExperimentTotals) => void): void => {
  fc.assert(
    fc.property(experiments, (input) => {
      for (const variation of evaluate(input).flat()) {
        check(variation, input);
      }
    }),
    { numRuns: 100 },
  );
};

describe('evaluate, for any counts', () => {
  it('returns finite numbers or null', () => {
    each((variation) => {
      const odd = leaves(variation).filter(
        (leaf) => leaf === undefined || (typeof leaf === 'number' && !Number.isFinite(leaf)),
      );
      expect(odd).toEqual([]);
    });
  });

  it('keeps probabilities within 0 and 1, and intervals in order', () => {
    each(({ confidence, statistics: { conversion, value } }) => {
      const sequential = [conversion?.sequential, value?.sequential];
      const posterior = [conversion?.bayesian, value?.bayesian];
      const probabilities = [
        confidence,
        ...[conversion, value].flatMap((block) => [block?.pValue, block?.pValueAdjusted]),
        ...sequential.map((block) => block?.pValue),
        ...posterior.map((block) => block?.chanceToBeatOriginal),
        conversion?.bayesian?.chanceToBeBest,
      ];
      expect(probabilities.filter((p) => p != null && !(p >= 0 && p <= 1))).toEqual([]);
      const intervals = [
        ...[conversion, value, ...sequential].map((block) => block?.interval),
        ...[conversion, value].map((block) => block?.upliftInterval),
        ...[
          conversion?.bayesian?.differenceInterval,
          conversion?.bayesian?.upliftInterval,
          value?.bayesian?.interval,
        ],
      ];
      expect(intervals.filter((pair) => pair != null && !(pair[0] <= pair[1]))).toEqual([]);
      const losses = posterior.map((block) => block?.expectedLoss);
      expect(losses.filter((loss) => loss != null && !(loss >= 0))).toEqual([]);
    });
  });

  it('is confident only about a winner or a loser', () => {
    each(({ isConfident, isOriginal, statistics: { verdict }, duration }) => {
      expect(isConfident).toBe(verdict === 'winner' || verdict === 'loser');
      expect(isConfident && (isOriginal || duration.daysLeft !== 0)).toBe(false);
    });
  });

  it('has chances to be best that sum to 1, or none', () => {
    fc.assert(
      fc.property(experiments, (input) => {
        for (const goal of evaluate(input)) {
          for (const block of ['conversion', 'value'] as const) {
            const chances = goal.map(({ statistics }) => statistics[block]?.bayesian?.chanceToBeBest ?? null);
            const known = chances.filter((chance) => chance !== null);
            expect([0, 1]).toContainEqual(
              expect.closeTo(
                known.reduce((sum, chance) => sum + chance, 0),
                6,
              ),
            );
          }
        }
      }),
    );
  });

  it('inverts its results if the original and the variation are swapped', () => {
    fc.assert(
      fc.property(soundTotals, soundTotals, fc.boolean(), (first, other, hasValue) => {
        const [there, back] = [
          [first, other],
          [other, first],
        ].map(
          ([control, variation]) =>
            evaluate({
              rules: {
                method: 'sequential',
                correction: 'none',
                significance: 95,
                minConversions: 0,
                minRuntimeDays: 0,
              },
              arms: [
                { id: 1, name: 'a', isOriginal: true },
                { id: 2, name: 'b', isOriginal: false },
              ],
              goals: [
                {
                  hasValue,
                  direction: 'increase',
                  counting: 'unique',
                  phases: [
                    {
                      shares: null,
                      totals: new Map([
                        [1, control],
                        [2, variation],
                      ]),
                    },
                  ],
                  looks: null,
                },
              ],
              tuning: new Map(),
              upliftPrior: null,
              plan: null,
              daysRunning: 10,
              isClosed: false,
              hasSampleRatioMismatch: false,
            })[0][1],
        );
        const opposite: Partial<Record<Verdict, Verdict>> = { winner: 'loser', loser: 'winner' };
        const { verdict } = there.statistics;
        expect(back.statistics.verdict).toBe(opposite[verdict] ?? verdict);
        expect(back.confidence ?? -1).toBeCloseTo(there.confidence ?? -1, 9);
      }),
    );
  });
});
