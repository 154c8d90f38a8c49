import type { SequentialStatistics } from './result';

/** Participants of a pair of variations at which decisions are usually taken; there the interval is tightest. */
export const TUNING = 5_000;

/**
 * The asymptotic confidence sequence and its p-value: they hold at any time and under any number of looks
 * (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, arXiv 2103.06476; the normal mixture SPRT of Johari, Koomen, Pekelis,
 * Walsh 2017, KDD). The interval excludes 0 exactly when the p-value is below alpha.
 *
 * @param difference the estimated effect; the interval has its unit.
 * @param standardError of the difference, not pooled; above 0.
 * @param participants of both variations together, at least 1.
 * @param alpha above 0 and below 1.
 */
export function sequentialTest(
  difference: number,
  standardError: number,
  participants: number,
  alpha: number,
): SequentialStatistics {
  const information = participants * mixingPrecision(alpha);
  const z = difference / standardError;
  const logEvidence = (information * z * z) / (2 * (1 + information)) - Math.log1p(information) / 2;
  const reach = standardError * sequentialCritical(participants, alpha);
  return {
    interval: [difference - reach, difference + reach],
    pValue: Math.min(1, Math.exp(-logEvidence)),
    tuning: TUNING,
  };
}

/**
 * How many standard errors the sequential interval reaches to each side with that many participants in both
 * variations together (at least 1; need not be whole), for 0 < alpha < 1.
 */
export function sequentialCritical(participants: number, alpha: number): number {
  const information = participants * mixingPrecision(alpha);
  const logBoundary = Math.log1p(information) / 2 - Math.log(alpha);
  return Math.sqrt((2 * (information + 1) * logBoundary) / information);
}

/** ρ² of the mixture, chosen for the tightest interval at the tuning size. */
function mixingPrecision(alpha: number): number {
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log1p(twice)) / TUNING;
}
