import { exactRatio, type Estimate, VALUE_SCALE } from './means';
import type { StratumEffect } from './effect';
import type { Stratum } from './strata';

/** The sums over n participants for a value per conversion; values are in ten-thousandths of the goal's unit. */
export interface RatioTotals {
  participants: number;
  /** Conversion events. */
  conversions: bigint;
  sum: bigint;
  /** Sum over participants of the squared number of conversions. */
  conversionsSquared: bigint;
  /** Sum over participants of the squared total value. */
  sumOfSquares: bigint;
  /** Sum over participants of the total value times the number of conversions. */
  sumOfProducts: bigint;
}

/**
 * Value per conversion, S/C in the goal's unit, and the variance of that estimate, by the delta method (Deng, Knoblich,
 * Lu 2018, KDD): [s_y² - 2r·s_yc + r²·s_c²] / (n·m_c²). The unit of analysis is the participant, because the
 * conversions of one participant are not independent. Null if there are no conversions, if there are fewer than two
 * participants, or if the sums are impossible.
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
  if (spread < 0n) {
    return null;
  }
  return {
    value: exactRatio(sum, conversions * VALUE_SCALE),
    variance: exactRatio(spread, conversions ** 4n * (n - 1n) * VALUE_SCALE ** 2n),
  };
}

/** The effect on the value per conversion in one stratum; null if the value on either side is not defined. */
export function ratioEffect({ control, variation }: Stratum<RatioTotals>): StratumEffect | null {
  const before = ratioEstimate(control);
  const after = ratioEstimate(variation);
  return before === null || after === null
    ? null
    : {
        participants: { control: control.participants, variation: variation.participants },
        control: before,
        variation: after,
        difference: after.value - before.value,
        pooledVariance: 0,
      };
}
