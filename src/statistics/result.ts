/*
 * The figures of one goal and variation as they are answered. An undefined number is null, never NaN or infinite;
 * nothing is rounded. Rates are fractions, values are in the goal's own unit, intervals are [lower, upper].
 */

export type Interval = [lower: number, upper: number];

/** Which block feeds `confidence` and `uplift`: `value` for goals that have values. */
export type Metric = 'conversion' | 'value';

export const METHODS = ['sequential', 'frequentist', 'bayesian'] as const;
/** Which rule feeds `isConfident` and `verdict`. */
export type Method = (typeof METHODS)[number];

export const CORRECTIONS = ['none', 'holm', 'benjamini-hochberg'] as const;
/** How p-values of several goals and variations are adjusted. */
export type Correction = (typeof CORRECTIONS)[number];

export type Verdict = 'winner' | 'loser' | 'inconclusive';

export const WARNINGS = [
  'NO_PARTICIPANTS',
  'INVALID_COUNTS',
  'INSUFFICIENT_DATA',
  'ZERO_VARIANCE',
  'SMALL_COUNTS',
  'UPLIFT_UNSTABLE',
  'SAMPLE_RATIO_MISMATCH',
  'VALUE_CAPPED',
] as const;
export type Warning = (typeof WARNINGS)[number];

/** Valid at any time and under any number of looks. */
export interface SequentialStatistics {
  interval: Interval;
  pValue: number;
  /** The sample size at which the interval is tightest. */
  tuning: number;
}

export interface ConversionStatistics {
  difference: number | null;
  standardError: number | null;
  interval: Interval | null;
  intervalMethod: 'wald' | 'newcombe' | null;
  uplift: number | null;
  upliftStandardError: number | null;
  upliftInterval: Interval | null;
  pValue: number | null;
  pValueAdjusted: number | null;
  test: 'z-pooled' | 'fisher' | null;
  sequential: SequentialStatistics | null;
  bayesian: {
    prior: [number, number];
    chanceToBeatOriginal: number | null;
    chanceToBeBest: number | null;
    expectedLoss: number | null;
    differenceInterval: Interval | null;
    upliftInterval: Interval | null;
  } | null;
}

export interface ValueStatistics {
  difference: number | null;
  standardError: number | null;
  degreesOfFreedom: number | null;
  t: number | null;
  interval: Interval | null;
  uplift: number | null;
  upliftStandardError: number | null;
  upliftInterval: Interval | null;
  pValue: number | null;
  pValueAdjusted: number | null;
  test: 'welch' | null;
  sequential: SequentialStatistics | null;
  bayesian: {
    chanceToBeatOriginal: number | null;
    expectedLoss: number | null;
    interval: Interval | null;
  } | null;
}

export interface Duration {
  daysRunning: number;
  /** A forecast from the observed effect, not a promise; null when it cannot be estimated. */
  daysLeft: number | null;
  minRuntimeReached: boolean;
  minConversionsReached: boolean;
}

export interface VariationStatistics {
  id: number;
  name: string;
  isOriginal: boolean;
  participants: number;
  /** Participants who converted. */
  conversions: number;
  /** Conversion events. */
  totalConversions: number;
  conversionRate: number | null;
  totalValue: number;
  valuePerParticipant: number | null;
  valuePerConversion: number | null;
  /** Relative; null for the original. */
  uplift: number | null;
  /** 1 - p of the fixed-horizon test; null for the original. */
  confidence: number | null;
  isConfident: boolean;
  duration: Duration;
  statistics: {
    metric: Metric;
    method: Method;
    /** As a fraction. */
    significance: number;
    conversion: ConversionStatistics;
    value: ValueStatistics | null;
    verdict: Verdict;
    warnings: Warning[];
  };
}

export interface SampleRatio {
  chiSquare: number;
  degreesOfFreedom: number;
  pValue: number;
  isMismatch: boolean;
}
