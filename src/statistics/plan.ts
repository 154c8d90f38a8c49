import { smallestThat } from './bisection';
import { normalCritical, normalQuantile } from './distributions';
import { decisiveError, priorDeviation } from './gaussian-posterior';
import { GroupSequentialTest, obrienFlemingSpending } from './group-sequential';
import type { Method } from './result';
import { sequentialCritical } from './sequential';

/** The smallest fraction of the planned information that is worth a look. */
const CLOSEST_LOOKS = 0.01;
/** Computed fractions that should be equal differ by less than this. */
const ROUNDING = 1e-9;
/** The days for which a plan shows the minimum detectable effect. */
const MILESTONES = [7, 14, 21, 28];
/** Number of days assumed if the traffic is unknown. */
const ASSUMED_DAYS = 28;
const LONGEST_DAYS = 1_000;
const ROUNDS = 4;
/** Number of bisection steps in the search for a drift. Each step goes through all looks. */
const DRIFT_HALVINGS = 35;
/** The largest relative effect that plans consider. */
const LARGEST_EFFECT = 1_000;

/** The baseline: a conversion rate, or a mean per participant with its standard deviation in the same unit. */
export type Baseline = { rate: number } | { mean: number; deviation: number };

export interface PlanRequest {
  baseline: Baseline;
  /** The relative effect to detect, as a fraction other than 0. The resulting rate must be between 0 and 1. */
  minimumEffect: number;
  /**
   * The shares of the variations, in any unit, above 0. There are at least two, and the first one is the original's.
   */
  shares: readonly number[];
  /** The probability of detecting the effect, above 0 and below 1. */
  power: number;
  alpha: number;
  method: Method;
  /** Standard deviation of the prior on the uplift for the method `bayesian`, as a fraction; null for a flat prior. */
  upliftPrior: number | null;
  /** The number of participants per day in all variations; null if unknown. */
  dailyParticipants: number | null;
  minRuntimeDays: number;
}

export interface PlanAnswer {
  /** The number of participants in all variations together. */
  participants: number;
  /** The number of participants in each variation, in the order of the shares. */
  perVariation: number[];
  /** Duration of the experiment; null if the daily participants are unknown. */
  days: number | null;
  /** Relative effect as a fraction; null if no effect is large enough, or before the minimum runtime. Empty if the daily participants are unknown. */
  minimumDetectableEffect: { day: number; effect: number | null }[];
}

/**
 * The number of participants needed to detect an effect: the sample size for a single look at the original and the
 * variation with the smallest share, multiplied by the inflation for the method's looks. Null if the effect is
 * impossible.
 */
export function planExperiment(request: PlanRequest): PlanAnswer | null {
  const { shares, dailyParticipants, minimumEffect } = request;
  const fixed = participantsFor(request, minimumEffect);
  if (fixed === null) {
    return null;
  }
  const inflation = settledInflation(request, fixed);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const perVariation = shares.map((share) => Math.max(1, Math.ceil((inflation * fixed * share) / total)));
  const participants = perVariation.reduce((sum, count) => sum + count, 0);
  return {
    participants,
    perVariation,
    days:
      dailyParticipants === null
        ? null
        : Math.max(request.minRuntimeDays, Math.ceil(participants / dailyParticipants)),
    minimumDetectableEffect:
      dailyParticipants === null
        ? []
        : MILESTONES.map((day) => ({ day, effect: effectAfter(request, day, day * dailyParticipants) })),
  };
}

/** The number of participants in all variations for one look, not rounded; null if the effect is impossible. */
function participantsFor(request: PlanRequest, effect: number): number | null {
  const [original, ...others] = request.shares;
  const smallest = Math.min(...others);
  const total = request.shares.reduce((sum, share) => sum + share, 0);
  const size = sampleSize(request, effect, smallest / original);
  return size === null ? null : (size.control * total) / original;
}

function sampleSize(request: PlanRequest, effect: number, ratio: number): SampleSize | null {
  const { baseline, method } = request;
  const mean = 'rate' in baseline ? baseline.rate : baseline.mean;
  const planned = mean * (1 + effect);
  if ('rate' in baseline && (planned < 0 || planned > 1)) {
    return null;
  }
  if (method === 'bayesian') {
    const prior = priorDeviation(mean, request.upliftPrior);
    return sampleSizeForPosterior(mean * effect, varianceOf(baseline, planned, ratio), request, prior, ratio);
  }
  return 'rate' in baseline
    ? sampleSizeForRates([mean, planned], request, ratio)
    : sampleSizeForMeans(mean * effect, baseline.deviation, request, ratio);
}

/** The variance of a difference with one participant in the control, not pooled. */
const varianceOf = (baseline: Baseline, planned: number, ratio: number): number =>
  'rate' in baseline
    ? baseline.rate * (1 - baseline.rate) + (planned * (1 - planned)) / ratio
    : baseline.deviation ** 2 * (1 + 1 / ratio);

/**
 * Iterates, because the duration of a plan depends slightly on its inflation, and the inflation depends on the
 * duration.
 */
function settledInflation(request: PlanRequest, fixed: number): number {
  const { dailyParticipants } = request;
  if (dailyParticipants === null) {
    return inflationOf(request, null);
  }
  let days = Math.ceil(fixed / dailyParticipants);
  for (let round = 0; round < ROUNDS; round += 1) {
    const settled = Math.ceil((inflationOf(request, days) * fixed) / dailyParticipants);
    if (settled === days) {
      break;
    }
    days = settled;
  }
  return inflationOf(request, days);
}

const inflationOf = ({ method, alpha, power, minRuntimeDays }: PlanRequest, days: number | null): number =>
  looksInflation(method, alpha, power, days, minRuntimeDays);

/**
 * The factor by which the sample of a fixed test must grow so that the method reaches the power with one look per day
 * from `firstDay` to `days` (28 if null). Computed by integration over the looks; 1 for methods that do not correct for
 * several looks.
 */
export function looksInflation(
  method: Method,
  alpha: number,
  power: number,
  days: number | null,
  firstDay: number,
): number {
  if (method !== 'sequential' && method !== 'planned') {
    return 1;
  }
  const last = Math.min(LONGEST_DAYS, Math.max(1, days ?? ASSUMED_DAYS));
  const first = Math.min(last, Math.max(1, firstDay));
  const test = testOf(method, lookTimes(first, last), alpha);
  const drift = driftFor(test, power);
  return (drift / (normalCritical(alpha) + normalQuantile(power))) ** 2;
}

/** Whether a look adds enough of the planned information, at least 1 %. */
export const isWorthALook = (added: number): boolean => added >= CLOSEST_LOOKS - ROUNDING;

/** Whether the planned information is complete, because what is missing is at most 1 %: hardly another look. */
export const isComplete = (information: number): boolean => information >= 1 - CLOSEST_LOOKS - ROUNDING;

/**
 * The information fractions at daily looks, assuming constant traffic and omitting looks that are too close to the
 * previous one.
 */
export function lookTimes(first: number, last: number): number[] {
  const times: number[] = [];
  for (let day = first; day <= last; day += 1) {
    const time = day / last;
    if (day === last || isWorthALook(time - (times.at(-1) ?? 0))) {
      times.push(time);
    }
  }
  return times;
}

function testOf(
  method: 'sequential' | 'planned',
  times: readonly number[],
  alpha: number,
): GroupSequentialTest {
  const test = new GroupSequentialTest();
  let spent = 0;
  for (const time of times) {
    if (method === 'planned') {
      const target = obrienFlemingSpending(time, alpha);
      test.spend(time, target - spent);
      spent = target;
    } else {
      // If the planned sample size is the tuning, the boundary depends only on the completed fraction of the plan.
      test.stopAbove(time, sequentialCritical(time, alpha, 1));
    }
  }
  return test;
}

/** The mean of z, at the end of the plan, that gives the test this power. */
function driftFor(test: GroupSequentialTest, power: number): number {
  return smallestThat(0, 20, (drift) => test.power(drift) >= power, DRIFT_HALVINGS);
}

/**
 * The smallest effect, in the direction of the planned effect, that can be detected with this number of participants
 * after this many days; null if there is none, or if the day is before the minimum runtime. A decrease is at most 100 %.
 */
function effectAfter(request: PlanRequest, day: number, participants: number): number | null {
  if (day < request.minRuntimeDays) {
    return null;
  }
  const available = participants / inflationOf(request, day);
  const sign = Math.sign(request.minimumEffect);
  const isEnough = (size: number): boolean => {
    const needed = participantsFor(request, sign * size);
    return needed === null || needed <= available;
  };
  const limit = sign < 0 ? 1 : LARGEST_EFFECT;
  const largest = smallestThat(0, limit, isEnough);
  return participantsFor(request, sign * largest) === null || largest >= limit ? null : sign * largest;
}

/** The sample size of an experiment, not yet rounded up. */
export interface SampleSize {
  control: number;
  variation: number;
}

/** The error probability and the power of a planned experiment. */
export interface Plan {
  /** Error probability, above 0 and below 1: two-sided, except for the method `bayesian`. */
  alpha: number;
  /** The probability of detecting the effect if it exists, above 0 and below 1; usually 0.8. */
  power: number;
}

/**
 * Sample size for detecting a difference between two conversion rates (R `power.prop.test`; Fleiss 1981 for unequal
 * groups); null for equal rates.
 *
 * @param rates the rates in the control and the variation, as fractions.
 * @param ratio the number of participants in the variation for each participant in the control, above 0.
 */
export function sampleSizeForRates(
  [p1, p2]: readonly [control: number, variation: number],
  { alpha, power }: Plan,
  ratio = 1,
): SampleSize | null {
  if (p1 === p2) {
    return null;
  }
  const pooled = (p1 + ratio * p2) / (1 + ratio);
  const underNull = normalCritical(alpha) * Math.sqrt(pooled * (1 - pooled) * (1 + 1 / ratio));
  const underEffect = normalQuantile(power) * Math.sqrt(p1 * (1 - p1) + (p2 * (1 - p2)) / ratio);
  const control = ((underNull + underEffect) / (p2 - p1)) ** 2;
  return { control, variation: ratio * control };
}

/**
 * Sample size for detecting a difference between means, n0 = σ²(1 + 1/r)(z_{1-α/2} + z_power)²/δ² in the control; null
 * if there is no difference or the values do not vary. For two equal groups, R's `power.t.test`, which uses the
 * quantiles of t, gives about one participant more.
 *
 * @param difference and deviation (the standard deviation of the values) in the same unit.
 * @param ratio the number of participants in the variation for each participant in the control, above 0.
 */
export function sampleSizeForMeans(
  difference: number,
  deviation: number,
  { alpha, power }: Plan,
  ratio = 1,
): SampleSize | null {
  if (difference === 0 || deviation === 0) {
    return null;
  }
  const errors = (deviation * (normalCritical(alpha) + normalQuantile(power))) / difference;
  const control = (1 + 1 / ratio) * errors ** 2;
  return { control, variation: ratio * control };
}

/**
 * Sample size for a verdict of the Bayesian method, n0 = V/SE² in the control, where SE is the standard error at which
 * the method decides for the difference. With a flat prior, this is the size of a one-sided test (R `power.prop.test`
 * with `alternative = "one.sided"`, apart from the pooled variance). Null if there is no difference or no variance.
 *
 * @param variance the variance of the difference with one participant in the control.
 * @param prior the standard deviation of the prior on the difference; null for a flat prior.
 * @param ratio the number of participants in the variation for each participant in the control, above 0.
 */
export function sampleSizeForPosterior(
  difference: number,
  variance: number,
  plan: Plan,
  prior: number | null,
  ratio = 1,
): SampleSize | null {
  if (difference === 0 || variance === 0) {
    return null;
  }
  const control = variance / decisiveError(difference, plan, prior) ** 2;
  return { control, variation: ratio * control };
}
