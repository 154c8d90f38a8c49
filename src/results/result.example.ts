import { evaluate } from '../statistics/evaluation';
import type { ExperimentTotals } from '../statistics/input';
import type { VariationStatistics } from '../statistics/result';
import { NOTHING } from '../statistics/strata';

const INPUT: ExperimentTotals = {
  rules: {
    method: 'sequential',
    correction: 'none',
    significance: 95,
    minConversions: 25,
    minRuntimeDays: 7,
  },
  arms: [
    { id: 23248304, name: 'Original', isOriginal: true },
    { id: 23248305, name: 'Green button', isOriginal: false },
  ],
  goals: [
    {
      hasValue: true,
      direction: 'increase',
      counting: 'unique',
      phases: [
        {
          shares: null,
          totals: new Map([
            [23248304, totals(4980, 374, 390, 892_151_000n, 2_405_713_402_500_000n, 422n, 930_318_000n)],
            [23248305, totals(5120, 412, 431, 960_685_000n, 2_601_924_117_250_000n, 469n, 1_004_988_000n)],
          ]),
        },
      ],
      looks: null,
    },
  ],
  tuning: new Map(),
  upliftPrior: null,
  plan: null,
  daysRunning: 12.4,
  isClosed: false,
  hasSampleRatioMismatch: false,
};

function totals(
  participants: number,
  converters: number,
  conversions: number,
  value: bigint,
  valueSquared: bigint,
  conversionsSquared: bigint,
  valueByConversions: bigint,
) {
  const squares = { valueSquared, conversionsSquared, valueByConversions };
  return { ...NOTHING, participants, converters, conversions, value, ...squares };
}

/** Example statistics for an experiment with two variations. They are computed, so they are consistent. */
export function exampleStatistics(): Record<string, VariationStatistics> {
  const [figures] = evaluate(INPUT);
  return Object.fromEntries(figures.map((variation) => [String(variation.id), variation]));
}
