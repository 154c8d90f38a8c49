import type { Effect } from './effect';
import { fiellerInterval } from './relative-uplift';
import type { SequentialStatistics } from './result';

/** The number of participants in a pair for which the interval is tightest, used if the traffic is unknown. */
export const TUNING = 5_000;
/** The factor by which the expected sample is larger than the number of participants in the first days. */
const DAYS_TO_SAMPLE = 4;

/**
 * The tuning for a pair: four times the number of participants in both variations who entered within the first
 * `min_runtime_days` UTC days, including the day of the start. It depends only on traffic, so the test remains valid.
 *
 * @param entered the number of these participants, unfiltered; null until these days are over, and always null if there
 * are no such days.
 */
export function tuningOfPair(entered: number | null): number {
  return entered === null || entered <= 0 ? TUNING : DAYS_TO_SAMPLE * entered;
}

/**
 * The asymptotic confidence sequence and its p-value, which are valid at any time and for any number of looks
 * (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, arXiv 2103.06476; the normal mixture SPRT of Johari, Koomen, Pekelis,
 * Walsh 2017, KDD). The interval excludes 0 if and only if the p-value is below alpha.
 *
 * @param difference the estimated effect; the interval is in the same unit.
 * @param standardError the standard error of the difference, above 0.
 * @param participants the number of participants in both variations together, at least 1.
 * @param alpha above 0 and below 1.
 * @param tuning the sample size for which the interval is tightest, above 0.
 */
export function sequentialTest(
  difference: number,
  standardError: number,
  participants: number,
  alpha: number,
  tuning: number,
): Omit<SequentialStatistics, 'upliftInterval'> {
  const information = participants * mixingPrecision(alpha, tuning);
  const z = difference / standardError;
  const logEvidence = (information * z * z) / (2 * (1 + information)) - Math.log1p(information) / 2;
  const reach = standardError * sequentialCritical(participants, alpha, tuning);
  return {
    interval: [difference - reach, difference + reach],
    pValue: Math.min(1, Math.exp(-logEvidence)),
    tuning,
  };
}

/**
 * The sequential test for an effect, with the larger of the pooled and the unpooled standard error. If the shares are
 * unequal, the unpooled error is too small when the mean in the smaller variation happens to be low. If one rate is
 * exactly 0 and the other exactly 1, the unpooled error is 0. Null if both errors are 0.
 */
export function sequentialStatistics(
  effect: Effect,
  alpha: number,
  tuning: number,
): SequentialStatistics | null {
  const { difference, largestError, participants } = effect;
  if (!(largestError > 0)) {
    return null;
  }
  return {
    ...sequentialTest(difference, largestError, participants, alpha, tuning),
    upliftInterval: fiellerInterval(effect, sequentialCritical(participants, alpha, tuning)),
  };
}

/**
 * The half-width of the sequential interval in standard errors, for this number of participants in both variations
 * together (at least 1, not necessarily whole) and 0 < alpha < 1.
 */
export function sequentialCritical(participants: number, alpha: number, tuning: number): number {
  const information = participants * mixingPrecision(alpha, tuning);
  const logBoundary = Math.log1p(information) / 2 - Math.log(alpha);
  return Math.sqrt((2 * (information + 1) * logBoundary) / information);
}

/** ρ² of the mixture, chosen so that the interval is tightest at the tuning size. */
function mixingPrecision(alpha: number, tuning: number): number {
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log1p(twice)) / tuning;
}
