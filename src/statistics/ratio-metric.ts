import { exactRatio } from './exact-ratio';
import { type Estimate, VALUE_SCALE } from './means';
import { normalCritical, normalTwoSided } from './normal';
import type { Interval } from './result';

/** The sums over n participants that a value per conversion needs; values in 1/10,000 of the goal's unit. */
export interface RatioTotals {
  participants: number;
  /** Conversion events. */
  conversions: bigint;
  sum: bigint;
  /** Sum of the squares of each participant's number of conversions. */
  conversionsSquared: bigint;
  /** Sum of the squares of each participant's total value. */
  sumOfSquares: bigint;
  /** Sum of each participant's total value times number of conversions. */
  sumOfProducts: bigint;
}

export interface RatioComparison {
  /** Variation minus control, in the goal's unit. */
  difference: number;
  standardError: number;
  interval: Interval;
  /** Two-sided. */
  pValue: number;
}

/**
 * Value per conversion, S/C in the goal's unit, with the variance of that estimate by the delta method (Deng, Knoblich,
 * Lu 2018, KDD): [s_y² - 2r·s_yc + r²·s_c²] / (n·m_c²). The participant is the unit, because the conversions of one are
 * not independent. Null without conversions, and for fewer than two participants.
 */
export function ratioEstimate(totals: RatioTotals): Estimate | null {
  const { participants, conversions, sum, conversionsSquared, sumOfSquares, sumOfProducts } = totals;
  if (conversions === 0n || participants < 2) {
    return null;
  }
  const n = BigInt(participants);
  const spreadOfValues = n * sumOfSquares - sum * sum;
  const spreadOfConversions = n * conversionsSquared - conversions * conversions;
  const spreadOfBoth = n * sumOfProducts - sum * conversions;
  const spread =
    spreadOfValues * conversions ** 2n -
    2n * spreadOfBoth * sum * conversions +
    spreadOfConversions * sum * sum;
  return {
    value: exactRatio(sum, conversions * VALUE_SCALE),
    variance: exactRatio(spread, conversions ** 4n * (n - 1n) * VALUE_SCALE ** 2n),
  };
}

/**
 * The difference of two values per conversion by a z test, for 0 < alpha < 1; null when one of them is not defined, or
 * neither varies.
 */
export function compareRatios(
  control: RatioTotals,
  variation: RatioTotals,
  alpha: number,
): RatioComparison | null {
  const before = ratioEstimate(control);
  const after = ratioEstimate(variation);
  if (before === null || after === null || !(before.variance + after.variance > 0)) {
    return null;
  }
  const difference = after.value - before.value;
  const standardError = Math.sqrt(before.variance + after.variance);
  const reach = normalCritical(alpha) * standardError;
  return {
    difference,
    standardError,
    interval: [difference - reach, difference + reach],
    pValue: normalTwoSided(difference / standardError),
  };
}
