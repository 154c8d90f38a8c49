import { ratioTotals } from './pair';
import { normalCritical, normalTwoSided } from './distributions';
import { effectOf } from './effect';
import type { ArmTotals } from './input';
import { ratioEffect, ratioEstimate, type RatioTotals } from './ratio-metric';
import { upliftOf } from './relative-uplift';
import type { RatioStatistics } from './result';
import { countedStrata, mapStratum, type Stratum } from './strata';

/**
 * The value per conversion in a variation, and its difference from the original over the strata of the pair (a z test;
 * Deng, Knoblich, Lu 2018, KDD). Null if no one converted, or if the squares were not summed.
 *
 * @param strata the strata of the variation and the original; null if there is no comparison.
 */
export function ratioStatistics(
  totals: ArmTotals,
  strata: readonly Stratum<ArmTotals>[] | null,
  alpha: number,
): RatioStatistics | null {
  const sums = ratioTotals(totals);
  const own = sums && ratioEstimate(sums);
  if (own === null) {
    return null;
  }
  const standardError = Math.sqrt(own.variance);
  const reach = normalCritical(alpha) * standardError;
  return {
    estimate: own.value,
    standardError,
    interval: [own.value - reach, own.value + reach],
    ...compared(countedStrata(strata ?? [], 2)),
  };
}

type Comparison = Pick<RatioStatistics, 'difference' | 'uplift' | 'pValue'>;

function compared(strata: readonly Stratum<ArmTotals>[]): Comparison {
  const effects = strata.map((stratum) => {
    const { control, variation } = mapStratum(stratum, ratioTotals);
    return control && variation ? ratioEffect({ control, variation } satisfies Stratum<RatioTotals>) : null;
  });
  const known = effects.filter((effect) => effect !== null);
  if (known.length === 0) {
    return { difference: null, uplift: null, pValue: null };
  }
  const { difference, standardError, control } = effectOf(known);
  return {
    difference,
    uplift: upliftOf(difference, control.value),
    pValue: standardError > 0 ? normalTwoSided(difference / standardError) : null,
  };
}
