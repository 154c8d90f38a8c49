import { type Effect, effectOf, meanEffect, rateEffect } from './effect';
import type { ArmTotals, GoalTotals, PhaseTotals } from './input';
import { scaledVariance, VALUE_SCALE, type ValueTotals } from './means';
import type { RateCounts } from './rate-intervals';
import type { RatioTotals } from './ratio-metric';
import type { Metric } from './result';
import { countedStrata, mapStratum, strataOf, type Stratum } from './strata';

/** The figures for a variation and the original on one goal. */
export interface PairFigures {
  /** The effect on the goal's metric; null if the effect is not defined. */
  effect: Effect | null;
  /** The number of participants who converted in each of the two variations, within the strata that are counted. */
  converters: [control: number, variation: number];
}

/** The figures for a variation and the original in the given phases. */
export function pairFigures(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  phases: readonly PhaseTotals[],
  control: number,
  variation: number,
): PairFigures {
  const strata = strataOf(phases, control, variation);
  return { effect: effectIn(goal, strata), converters: convertersIn(strata) };
}

/** The number of participants who converted in each variation, within the strata that are counted. */
export function convertersIn(strata: readonly Stratum<ArmTotals>[]): [control: number, variation: number] {
  const counted = countedStrata(strata, 1);
  return [
    counted.reduce((sum, { control }) => sum + control.converters, 0),
    counted.reduce((sum, { variation }) => sum + variation.converters, 0),
  ];
}

function effectIn(
  goal: Pick<GoalTotals, 'counting' | 'hasValue'>,
  strata: readonly Stratum<ArmTotals>[],
): Effect | null {
  const metric = metricOf(goal);
  if (metric !== 'conversion') {
    return effectOfMeans(strata, metric === 'value' ? valuesOf : conversionsAsValues);
  }
  const counted = ratedStrata(strata);
  return counted.length === 0
    ? null
    : effectOf(counted.map((stratum) => rateEffect(mapStratum(stratum, rateCounts))));
}

function effectOfMeans(
  strata: readonly Stratum<ArmTotals>[],
  valuesIn: (totals: ArmTotals) => ValueTotals,
): Effect | null {
  const counted = meanStrata(strata, valuesIn);
  const isTested = counted.every(
    ({ control, variation }) => Math.min(control.participants, variation.participants) >= 2,
  );
  return counted.length > 0 && isTested ? effectOf(counted.map(meanEffect)) : null;
}

/** The strata for comparing conversion rates; empty if the rates are not defined. */
export function ratedStrata(strata: readonly Stratum<ArmTotals>[]): readonly Stratum<ArmTotals>[] {
  const counted = countedStrata(strata, 1);
  return counted.every(({ control, variation }) => hasRate(control) && hasRate(variation)) ? counted : [];
}

/** The strata for comparing means per participant; empty if the means are not defined. */
export function meanStrata(
  strata: readonly Stratum<ArmTotals>[],
  valuesIn: (totals: ArmTotals) => ValueTotals,
): readonly Stratum<ValueTotals>[] {
  const counted = countedStrata(strata, 2).map((stratum) => mapStratum(stratum, valuesIn));
  return counted.every(({ control, variation }) => hasMean(control) && hasMean(variation)) ? counted : [];
}

/** The metric that determines a goal's verdicts. */
export function metricOf({ counting, hasValue }: Pick<GoalTotals, 'counting' | 'hasValue'>): Metric {
  if (counting === 'every') {
    return 'count';
  }
  return hasValue ? 'value' : 'conversion';
}

/**
 * Whether a conversion rate is defined. It is undefined if there are no participants, or if the number of converters is
 * negative or exceeds the number of participants.
 */
export function hasRate({ participants, converters }: ArmTotals): boolean {
  return participants > 0 && converters >= 0 && converters <= participants;
}

export const rateCounts = ({ participants, converters }: ArmTotals): RateCounts => ({
  successes: converters,
  trials: participants,
});

/**
 * Whether a mean per participant is defined. It is undefined if there are no participants, or if the sums are
 * impossible because they would give a negative variance.
 */
export const hasMean = (values: ValueTotals): boolean =>
  values.participants > 0 && scaledVariance(values) >= 0n;

export const valuesOf = ({ participants, value, valueSquared }: ArmTotals): ValueTotals => ({
  participants,
  sum: value,
  sumOfSquares: valueSquared,
});

/**
 * Treats the number of conversions of each participant as a value. If the squares of these numbers were not summed, the
 * result has no participants, so its mean is undefined.
 */
export const conversionsAsValues = (totals: ArmTotals): ValueTotals => {
  const { participants, conversions, conversionsSquared } = totals;
  return conversionsSquared === null
    ? { participants: 0, sum: 0n, sumOfSquares: 0n }
    : {
        participants,
        sum: BigInt(conversions) * VALUE_SCALE,
        sumOfSquares: conversionsSquared * VALUE_SCALE ** 2n,
      };
};

/** The sums for a value per conversion; null if the squares or products were not summed. */
export function ratioTotals(totals: ArmTotals): RatioTotals | null {
  const { participants, conversions, value, valueSquared, conversionsSquared, valueByConversions } = totals;
  return conversionsSquared === null || valueByConversions === null
    ? null
    : {
        participants,
        conversions: BigInt(conversions),
        sum: value,
        conversionsSquared,
        sumOfSquares: valueSquared,
        sumOfProducts: valueByConversions,
      };
}
