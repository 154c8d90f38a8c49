import { normalCritical, normalTwoSided } from './distributions';
import { informationOf, type Effect } from './effect';
import {
  newcombeInterval,
  newcombeUpliftInterval,
  rateVariance,
  type RateCounts,
  waldInterval,
  type WeightedRates,
} from './rate-intervals';
import type { Interval, RateTest } from './result';
import { mapStratum, type Stratum } from './strata';

/** Two probabilities count as equal if their ratio is at most this, as in R's `fisher.test`. */
const TIES = 1 + 1e-7;

/**
 * Two-sided p-value of Fisher's exact test (0 to 1) for x0 conversions of n0 participants against x1 of n1, all whole
 * and 0 <= x <= n: the sum of all hypergeometric probabilities that are not larger than the observed one (R
 * `fisher.test`). If no one converted on either side, or everyone did, the p-value is 1. The running time grows with
 * the smaller margin of the table.
 */
export function fisherExact(x0: number, n0: number, x1: number, n1: number): number {
  const successes = x0 + x1;
  const total = n0 + n1;
  return successes <= total - successes
    ? sumOfRarer(x0, n0, n1, successes)
    : sumOfRarer(n0 - x0, n0, n1, total - successes);
}

/**
 * The sum of all probabilities that are not larger than the observed one. The unnormalised probabilities (`weights`)
 * are computed by recurrence from the mode, where the weight is 1, so no factorials are needed.
 */
function sumOfRarer(observed: number, n0: number, n1: number, drawn: number): number {
  const lowest = Math.max(0, drawn - n1);
  const highest = Math.min(n0, drawn);
  const mode = Math.floor(((n0 + 1) * (drawn + 1)) / (n0 + n1 + 2));
  const weights = new Float64Array(highest - lowest + 1);
  weights[mode - lowest] = 1;
  for (let j = mode; j < highest; j += 1) {
    weights[j + 1 - lowest] =
      (weights[j - lowest] * (n0 - j) * (drawn - j)) / ((j + 1) * (n1 - drawn + j + 1));
  }
  for (let j = mode; j > lowest; j -= 1) {
    weights[j - 1 - lowest] = (weights[j - lowest] * j * (n1 - drawn + j)) / ((n0 - j + 1) * (drawn - j + 1));
  }
  const limit = weights[observed - lowest] * TIES;
  let rarer = 0;
  let all = 0;
  for (const weight of weights) {
    all += weight;
    rarer += weight <= limit ? weight : 0;
  }
  return rarer / all;
}

/** Cochran's rule: the normal approximation requires at least this expected count in every cell. */
const ENOUGH_EXPECTED = 5;

export interface RateComparison {
  /** Variation minus control, as a fraction. */
  difference: number;
  /** The unpooled standard error of the difference; 0 if each rate is exactly 0 or 1. */
  standardError: number;
  interval: Interval;
  intervalMethod: 'wald' | 'newcombe';
  /** The interval of the uplift that belongs to Newcombe's interval; null with Wald's interval, or for a control of 0. */
  upliftInterval: Interval | null;
  /** Two-sided p-value. */
  pValue: number;
  test: RateTest;
}

/**
 * The fixed-horizon comparison of two conversion rates: the pooled z test without continuity correction and the Wald
 * interval. If the expected count of any cell is below 5, Fisher's exact test and Newcombe's interval are used instead
 * (R `prop.test(correct = FALSE)` and `fisher.test`; Cochran 1954, Biometrics 10:417). Rates of exactly 0 and 1 also
 * get Newcombe's interval, because Wald's interval would have zero width. At least one trial on each side.
 */
export function compareRates(control: RateCounts, variation: RateCounts, alpha: number): RateComparison {
  const difference = variation.successes / variation.trials - control.successes / control.trials;
  const standardError = Math.sqrt(rateVariance(control) + rateVariance(variation));
  const isSmall = hasSmallCell(control, variation);
  const pValue = isSmall
    ? fisherExact(control.successes, control.trials, variation.successes, variation.trials)
    : normalTwoSided(difference / pooledStandardError(control, variation));
  const common = { difference, standardError, pValue, test: isSmall ? 'fisher' : 'z-pooled' } as const;
  return isSmall || standardError === 0
    ? { ...common, ...newcombe([{ control, variation, weight: 1 }], alpha) }
    : { ...common, ...wald(waldInterval(control, variation, alpha)) };
}

/**
 * The fixed-horizon comparison of two conversion rates over several strata: the Mantel-Haenszel test, and the normal
 * interval for the weighted difference, which is not clipped. If all rates are exactly 0 or 1, the normal interval
 * would have zero width, so Newcombe's interval is used, as with a single stratum.
 */
export function compareStratifiedRates(
  strata: readonly Stratum<RateCounts>[],
  effect: Effect,
  alpha: number,
): RateComparison {
  const { difference, standardError } = effect;
  const common = {
    difference,
    standardError,
    pValue: mantelHaenszel(strata),
    test: 'mantel-haenszel',
  } as const;
  if (standardError === 0) {
    return { ...common, ...newcombe(weighted(strata, effect), alpha) };
  }
  const reach = normalCritical(alpha) * standardError;
  return { ...common, ...wald([difference - reach, difference + reach]) };
}

type Intervals = Pick<RateComparison, 'interval' | 'intervalMethod' | 'upliftInterval'>;

const wald = (interval: Interval): Intervals => ({ interval, intervalMethod: 'wald', upliftInterval: null });

const newcombe = (strata: WeightedRates, alpha: number): Intervals => ({
  interval: newcombeInterval(strata, alpha),
  intervalMethod: 'newcombe',
  upliftInterval: newcombeUpliftInterval(strata, alpha),
});

/** The strata with their weights in the effect. */
const weighted = (strata: readonly Stratum<RateCounts>[], { information }: Effect): WeightedRates =>
  strata.map((stratum) => ({
    ...stratum,
    weight: informationOf(mapStratum(stratum, ({ trials }) => trials)) / information,
  }));

/**
 * Whether the smallest expected count is below 5. Computed without a division, so exactly 5 is not counted as below.
 */
function hasSmallCell(control: RateCounts, variation: RateCounts): boolean {
  const total = control.trials + variation.trials;
  const successes = control.successes + variation.successes;
  const smallerGroup = Math.min(control.trials, variation.trials);
  const smallerOutcome = Math.min(successes, total - successes);
  return smallerGroup * smallerOutcome < ENOUGH_EXPECTED * total;
}

function pooledStandardError(control: RateCounts, variation: RateCounts): number {
  const pooled = (control.successes + variation.successes) / (control.trials + variation.trials);
  return Math.sqrt(pooled * (1 - pooled) * (1 / control.trials + 1 / variation.trials));
}

/**
 * Two-sided p-value, 0 to 1, of the Mantel-Haenszel test that a conversion rate is the same in both variations within
 * every stratum, without continuity correction (Mantel, Haenszel 1959, JNCI 22:719; R `mantelhaen.test(correct =
 * FALSE)`). 1 if no one or everyone converted. At least one trial on each side of each stratum.
 */
export function mantelHaenszel(strata: readonly Stratum<RateCounts>[]): number {
  let excess = 0;
  let variance = 0;
  for (const { control, variation } of strata) {
    const trials = control.trials + variation.trials;
    const successes = control.successes + variation.successes;
    const share = variation.trials / trials;
    excess += variation.successes - successes * share;
    variance += (successes * share * (1 - share) * (trials - successes)) / (trials - 1);
  }
  return variance > 0 ? normalTwoSided(excess / Math.sqrt(variance)) : 1;
}
