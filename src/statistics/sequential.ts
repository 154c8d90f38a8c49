import type { Effect } from './effect';
import { fiellerInterval } from './relative-uplift';
import type { SequentialStatistics } from './result';

/** Participants of a pair of variations at which the interval is tightest, if the traffic is unknown. */
export const TUNING = 5_000;
/** The factor from the participants of the first days to the expected sample. */
const DAYS_TO_SAMPLE = 4;

/**
 * The tuning of a pair: four times the participants of both variations whose entry day is among the first
 * `min_runtime_days` UTC days from the day of the start. It depends only on traffic, so the test stays valid.
 *
 * @param entered those participants, unfiltered; null until the days are over, and if there are no such days.
 */
export function tuningOfPair(entered: number | null): number {
  return entered === null || entered <= 0 ? TUNING : DAYS_TO_SAMPLE * entered;
}

/**
 * The asymptotic confidence sequence and its p-value: they hold at any time and under any number of looks
 * (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, arXiv 2103.06476; the normal mixture SPRT of Johari, Koomen, Pekelis,
 * Walsh 2017, KDD). The interval excludes 0 if and only if the p-value is below alpha.
 *
 * @param difference the estimated effect; the interval has its unit.
 * @param standardError of the difference; above 0.
 * @param participants of both variations together, at least 1.
 * @param alpha above 0 and below 1.
 * @param tuning the sample size at which the interval is tightest, above 0.
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
 * The sequential test of an effect, with the larger one of the pooled and the unpooled standard error: with unequal
 * shares the unpooled one is too small exactly when the smaller variation's mean is low, and for rates of exactly 0 and
 * 1 it is 0. Null if both are 0.
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
 * The half-width of the sequential interval in standard errors for this number of participants in both variations
 * together (at least 1; need not be whole), for 0 < alpha < 1.
 */
export function sequentialCritical(participants: number, alpha: number, tuning: number): number {
  const information = participants * mixingPrecision(alpha, tuning);
  const logBoundary = Math.log1p(information) / 2 - Math.log(alpha);
  return Math.sqrt((2 * (information + 1) * logBoundary) / information);
}

/** ρ² of the mixture, chosen for the tightest interval at the tuning size. */
function mixingPrecision(alpha: number, tuning: number): number {
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log1p(twice)) / tuning;
}
