import { smallestThat } from './bisection';
import { conversionsIn, conversionsNeeded, hasRunLongEnough, type Progress } from './decision';
import { normalCritical, normalQuantile } from './distributions';
import { decisiveError } from './gaussian-posterior';
import type { DecisionRules, SingleLook } from './input';
import { sequentialCritical } from './sequential';
import type { Duration, Method, PlannedStatistics } from './result';

/** The probability that the forecast sample shows the effect if the true effect equals the observed one. */
export const POWER = 0.8;
/** Forecasts beyond this multiple of the current sample are meaningless. */
const LARGEST_GROWTH = 1_000;

/** The observed effect on the goal's metric, on which a forecast is based. */
export interface ObservedEffect {
  /** Variation - original. */
  difference: number;
  /** The larger of the pooled and the unpooled standard error of the difference. */
  largestError: number;
  /** The total number of participants in the two variations. */
  participants: number;
  /** The tuning of the sequential test. */
  tuning: number;
  /** The completed fraction of the plan's information; null if the plan has no further look. */
  informationFraction: number | null;
  /** Days until the last look of a plan with an end date; null if there is no end date. */
  daysToPlannedEnd: number | null;
  /** The end of the plan for methods that allow a single look; null without a plan. */
  singleLook: SingleLook | null;
  /** Standard deviation of the prior on the difference; null for a flat prior. */
  priorDeviation: number | null;
  /** Error probability for this comparison. If there is a correction, the comparison's share of alpha. */
  alpha: number;
}

/**
 * Days until the project's minimum runtime and minimum conversions are reached at the current pace, at least 0. Null if
 * conversions are missing and there is no pace yet, because no one has converted or no time has passed, or if anything
 * is missing and the variation has been stopped. For the original, which is not compared, this is the whole forecast.
 */
export function daysToMinimum(rules: DecisionRules, progress: Progress): number | null {
  return longest([daysToRuntime(rules, progress), daysToConversions(rules, progress)]);
}

function daysToRuntime(rules: DecisionRules, progress: Progress): number | null {
  if (hasRunLongEnough(rules, progress)) {
    return 0;
  }
  return progress.isStopped === true ? null : rules.minRuntimeDays - progress.daysRunning;
}

/**
 * Days until a decision, at least 0. The minimum runtime and the minimum conversions must be reached. Unless the
 * figures are already significant, the sample must also be large enough to show the observed effect, assuming constant
 * traffic. Null if this cannot be estimated, would be after the end of the plan, or needs participants that a stopped
 * variation no longer gets. The forecast is noisy, because it is based on the effect observed so far (the factor by which
 * the sample must grow: Fleiss 1981; GrowthBook, gbstats, power/midexperimentpower.py).
 */
export function daysToDecision(
  rules: DecisionRules,
  progress: Progress,
  effect: ObservedEffect | null,
  isSignificant: boolean,
): number | null {
  const sampleLeft = isSignificant ? 0 : daysToSample(rules, progress, effect);
  const left = longest([daysToMinimum(rules, progress), sampleLeft]);
  const end = allowsSingleLook(rules.method) ? effect?.singleLook?.daysToEnd : null;
  return left !== null && left > (end ?? Infinity) ? null : left;
}

/** Whether the method's verdicts hold for one look only. */
export const allowsSingleLook = (method: Method): boolean =>
  method === 'frequentist' || method === 'bayesian';

/**
 * Whether a plan is over. `planned` has no further look then. With a method that allows a single look, the plan ends
 * with its last day, or once the planned participants and the minimums for a verdict are reached. Such a method computes
 * verdicts for later days, too, but they would be further looks. A sequential test is valid on every day, so it continues
 * after the plan.
 */
export function isPlanOver(
  method: Method,
  planned: Pick<PlannedStatistics, 'isOver'> | null,
  singleLook: SingleLook | null,
  { minRuntimeReached, minConversionsReached }: Omit<Duration, 'daysLeft'>,
): boolean {
  if (!allowsSingleLook(method)) {
    return method === 'planned' && planned?.isOver === true;
  }
  const isComplete = singleLook?.daysLeft === 0 && minRuntimeReached && minConversionsReached;
  return isComplete || singleLook?.isEnded === true;
}

function daysToConversions(
  rules: DecisionRules,
  { conversions, daysRunning, daysSampled = daysRunning, isStopped = false }: Progress,
): number | null {
  const count = conversionsIn(conversions);
  const wanted = conversionsNeeded(rules, conversions);
  if (count >= wanted) {
    return 0;
  }
  return count > 0 && daysSampled > 0 && !isStopped ? ((wanted - count) * daysSampled) / count : null;
}

function daysToSample(
  rules: DecisionRules,
  { daysRunning, daysSampled = daysRunning, isStopped = false }: Progress,
  effect: ObservedEffect | null,
): number | null {
  if (effect === null || effect.largestError === 0 || daysSampled <= 0) {
    return null;
  }
  if (allowsSingleLook(rules.method) && effect.singleLook !== null) {
    return effect.singleLook.daysLeft;
  }
  const growth = GROWTHS[rules.method](effect);
  if (allowsSingleLook(rules.method) && growth !== null && growth <= 1) {
    // The forecast assumes a normal distribution. Fisher's test, for example, can require more.
    return null;
  }
  const end = rules.method === 'planned' ? effect.daysToPlannedEnd : null;
  if (isStopped) {
    // Only the last look of a plan does not depend on the sample.
    return growth === null ? null : end;
  }
  const latest = end ?? Infinity;
  return growth === null ? null : Math.min(latest, Math.max(0, daysSampled * (growth - 1)));
}

/** The factor by which the sample must grow to complete the plan. Null if the plan has no further look. */
function plannedGrowth({ informationFraction }: ObservedEffect): number | null {
  return informationFraction === null || informationFraction === 0 ? null : 1 / informationFraction;
}

/**
 * The factor by which the sample must grow to reach the power; the squared error is inversely proportional to the
 * sample size. Null if the difference is 0.
 */
function fixedGrowth({ difference, largestError, alpha }: ObservedEffect): number | null {
  return difference === 0
    ? null
    : (((normalCritical(alpha) + normalQuantile(POWER)) * largestError) / difference) ** 2;
}

/** Like `fixedGrowth`, for the rule of the Bayesian method. */
function bayesianGrowth({ difference, largestError, alpha, priorDeviation }: ObservedEffect): number | null {
  return difference === 0
    ? null
    : (largestError / decisiveError(difference, { alpha, power: POWER }, priorDeviation)) ** 2;
}

/**
 * The factor by which the sample must grow until the half-width of the sequential interval equals the effect. Below 1
 * if the interval is already narrower; null beyond 1,000.
 */
function sequentialGrowth(effect: ObservedEffect): number | null {
  const isEnough = (growth: number): boolean => {
    const error = effect.largestError / Math.sqrt(growth);
    const critical = sequentialCritical(growth * effect.participants, effect.alpha, effect.tuning);
    return error * critical <= Math.abs(effect.difference);
  };
  return isEnough(LARGEST_GROWTH) ? smallestThat(0, LARGEST_GROWTH, isEnough) : null;
}

const GROWTHS: Record<Method, (effect: ObservedEffect) => number | null> = {
  sequential: sequentialGrowth,
  frequentist: fixedGrowth,
  bayesian: bayesianGrowth,
  planned: plannedGrowth,
};

/** The longest of several times; null if any of them is unknown. */
function longest(times: readonly (number | null)[]): number | null {
  return times.reduce<number | null>(
    (most, time) => (most === null || time === null ? null : Math.max(most, time)),
    0,
  );
}
