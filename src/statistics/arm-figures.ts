import type { ArmTotals, GoalTotals } from './input';
import { scaledVariance, VALUE_SCALE, type ValueTotals } from './means';
import type { RateCounts } from './rate-intervals';
import type { RatioTotals } from './ratio-metric';
import type { Metric } from './result';

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
