import { compareBetas, type BetaPosterior, PRIOR } from './beta-posterior';
import { differenceInterval, upliftInterval } from './beta-intervals';
import { normalCritical } from './distributions';
import { type Effect, effectOf, rateEffect } from './effect';
import { effectPosterior } from './gaussian-posterior';
import type { ComparisonSettings, GoalTotals } from './input';
import { compareRates, compareStratifiedRates } from './rate-comparison';
import type { RateCounts } from './rate-intervals';
import { type RelativeUplift, relativeUplift } from './relative-uplift';
import type { ConversionStatistics, Warning } from './result';
import { sequentialStatistics } from './sequential';
import type { Stratum } from './strata';

/** The conversions of one variation, and the posterior of its conversion rate. */
export interface CountedRate {
  counts: RateCounts;
  posterior: BetaPosterior;
}

type Direction = GoalTotals['direction'];
type Bayesian = NonNullable<ConversionStatistics['bayesian']>;
type Settings = Pick<ComparisonSettings, 'alpha' | 'upliftPrior'> & { tuning: number };

/**
 * All figures for the conversion rate in a variation compared with the original, over one or more strata, each with
 * participants on both sides. The p-value is not adjusted yet. `chanceToBeBest` is computed later, from all variations.
 */
export function conversionStatistics(
  strata: readonly Stratum<CountedRate>[],
  settings: Settings,
  direction: Direction,
): { statistics: ConversionStatistics; effect: Effect; warnings: Warning[] } {
  const counts = strata.map(({ control, variation }) => ({
    control: control.counts,
    variation: variation.counts,
  }));
  const { figures, effect, uplift } = rateFigures(counts, settings);
  const bayesian = bayesianStatistics(strata, effect, uplift, settings, direction);
  const statistics = { ...uncomparedConversions(null), ...figures, bayesian };
  const warnings: Warning[] = [
    ...(figures.test === 'fisher' ? ['SMALL_COUNTS' as const] : []),
    ...(uplift?.isUnstable === true ? ['UPLIFT_UNSTABLE' as const] : []),
  ];
  return { statistics, effect, warnings };
}

/**
 * All figures for the conversion rate, except the Bayesian figures, which take far longer to compute. Requires at least
 * one stratum.
 */
export function rateFigures(
  strata: readonly Stratum<RateCounts>[],
  { alpha, tuning }: Pick<Settings, 'alpha' | 'tuning'>,
): {
  figures: Omit<ConversionStatistics, 'pValueAdjusted' | 'bayesian'>;
  effect: Effect;
  uplift: RelativeUplift | null;
} {
  const effect = effectOf(strata.map(rateEffect));
  const [only] = strata;
  const comparison =
    strata.length === 1
      ? compareRates(only.control, only.variation, alpha)
      : compareStratifiedRates(strata, effect, alpha);
  const uplift = relativeUplift(effect.control, effect.variation, comparison, normalCritical(alpha));
  const figures = {
    ...comparison,
    uplift: uplift?.uplift ?? null,
    upliftStandardError: uplift?.standardError ?? null,
    upliftInterval: comparison.upliftInterval ?? uplift?.interval ?? null,
    sequential: sequentialStatistics(effect, alpha, tuning),
  };
  return { figures, effect, uplift };
}

/**
 * The block for a variation that is not compared with the original. All fields are null except the chance to be best,
 * if there is one.
 */
export function uncomparedConversions(chanceToBeBest: number | null): ConversionStatistics {
  return {
    difference: null,
    standardError: null,
    interval: null,
    intervalMethod: null,
    uplift: null,
    upliftStandardError: null,
    upliftInterval: null,
    pValue: null,
    pValueAdjusted: null,
    test: null,
    sequential: null,
    bayesian: {
      prior: [PRIOR, PRIOR],
      upliftPrior: null,
      chanceToBeatOriginal: null,
      chanceToBeBest,
      expectedLoss: null,
      differenceInterval: null,
      upliftInterval: null,
      shrunkUplift: null,
    },
  };
}

/**
 * In a single stratum, the posteriors of the rates are Beta distributions. If there is a prior on the uplift, or if
 * there are several strata, the difference is modelled as a normal distribution instead.
 */
function bayesianStatistics(
  strata: readonly Stratum<CountedRate>[],
  effect: Effect,
  uplift: RelativeUplift | null,
  { alpha, upliftPrior }: Settings,
  direction: Direction,
): Bayesian | null {
  const normal = effectPosterior(effect, alpha, upliftPrior, direction);
  if (strata.length === 1 && (normal === null || normal.upliftPrior === null)) {
    const [{ control, variation }] = strata;
    return betaStatistics(control.posterior, variation.posterior, alpha, direction);
  }
  if (normal === null) {
    return null;
  }
  const { interval, ...figures } = normal;
  return {
    ...figures,
    prior: null,
    chanceToBeBest: null,
    differenceInterval: interval,
    upliftInterval: normal.upliftInterval ?? uplift?.interval ?? null,
  };
}

function betaStatistics(
  control: BetaPosterior,
  variation: BetaPosterior,
  alpha: number,
  direction: Direction,
): Bayesian {
  const [better, worse] = direction === 'increase' ? [variation, control] : [control, variation];
  const { chance, loss } = compareBetas(better, worse);
  return {
    prior: [PRIOR, PRIOR],
    upliftPrior: null,
    chanceToBeatOriginal: chance,
    chanceToBeBest: null,
    expectedLoss: loss,
    differenceInterval: differenceInterval(control, variation, alpha),
    upliftInterval: upliftInterval(control, variation, alpha),
    shrunkUplift: null,
  };
}
