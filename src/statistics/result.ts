/*
 * The figures of one goal and variation as they are answered. An undefined number is null, never NaN or infinite;
 * nothing is rounded. Rates are fractions, values are in the goal's own unit, intervals are [lower, upper].
 */

export type Interval = [lower: number, upper: number];

export const METRICS = ['conversion', 'value', 'count'] as const;
/**
 * Which block feeds `confidence` and `uplift`: `count` where every conversion counts, `value` for goals that have
 * values.
 */
export type Metric = (typeof METRICS)[number];

export const METHODS = ['sequential', 'frequentist', 'bayesian', 'planned'] as const;
/** Which rule feeds `isConfident` and `verdict`. */
export type Method = (typeof METHODS)[number];

export const CORRECTIONS = ['none', 'holm', 'benjamini-hochberg'] as const;
/** How p-values of several goals and variations are adjusted. */
export type Correction = (typeof CORRECTIONS)[number];

/** `untrustworthy` while the sample ratio does not match, whatever the figures say. */
export const VERDICTS = ['winner', 'loser', 'inconclusive', 'untrustworthy'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const WARNINGS = [
  'NO_PARTICIPANTS',
  'INVALID_COUNTS',
  'INSUFFICIENT_DATA',
  'ZERO_VARIANCE',
  'SMALL_COUNTS',
  'UPLIFT_UNSTABLE',
  'SAMPLE_RATIO_MISMATCH',
  'TRAFFIC_DEPLETED',
  'CROSSOVERS',
  'VALUE_CAPPED',
] as const;
export type Warning = (typeof WARNINGS)[number];

/** Valid at any time and under any number of looks. */
export interface SequentialStatistics {
  interval: Interval;
  /** Null when the control is not certainly different from 0. */
  upliftInterval: Interval | null;
  pValue: number;
  /** The sample size at which the interval is tightest. */
  tuning: number;
}

/** `mantel-haenszel` where the share ratio changed while the experiment was running. */
export const RATE_TESTS = ['z-pooled', 'fisher', 'mantel-haenszel'] as const;
export type RateTest = (typeof RATE_TESTS)[number];

/** `stratified-welch` where the share ratio changed while the experiment was running. */
export const MEAN_TESTS = ['welch', 'stratified-welch'] as const;
export type MeanTest = (typeof MEAN_TESTS)[number];

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
  test: RateTest | null;
  sequential: SequentialStatistics | null;
  bayesian: {
    /** Of each rate; null where the figures are of a normal distribution of the difference. */
    prior: [number, number] | null;
    /** Standard deviation of the normal prior of the uplift; null for a flat one. */
    upliftPrior: number | null;
    chanceToBeatOriginal: number | null;
    chanceToBeBest: number | null;
    expectedLoss: number | null;
    differenceInterval: Interval | null;
    upliftInterval: Interval | null;
    /** The uplift after the prior; null for a flat one. */
    shrunkUplift: number | null;
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
  test: MeanTest | null;
  sequential: SequentialStatistics | null;
  bayesian: {
    /** Standard deviation of the normal prior of the uplift; null for a flat one. */
    upliftPrior: number | null;
    chanceToBeatOriginal: number | null;
    chanceToBeBest: number | null;
    expectedLoss: number | null;
    interval: Interval | null;
    /** The uplift after the prior; null for a flat one. */
    shrunkUplift: number | null;
  } | null;
}

/** Value per conversion: a ratio of two sums over participants. */
export interface RatioStatistics {
  estimate: number;
  standardError: number;
  interval: Interval;
  /** Variation - original; these three are null for the original. */
  difference: number | null;
  uplift: number | null;
  /** Two-sided, for a single look. */
  pValue: number | null;
}

/** A group-sequential test with the plan of the experiment. */
export interface PlannedStatistics {
  /** Repeated confidence interval of the difference at that look. */
  interval: Interval | null;
  upliftInterval: Interval | null;
  /** Of |z|; null where no error can be spent yet. */
  criticalValue: number | null;
  /** How much of the plan's information there is; 1 and more is all. */
  informationFraction: number;
  /** How many looks there were. */
  looks: number;
  /** The UTC day of the look that the figures are of: the deciding one, or else the latest; null before the first. */
  lookedOn: string | null;
  /** Will no look follow? */
  isOver: boolean;
  /** The UTC day whose look decided; null without a decision. */
  decidedOn: string | null;
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
  conversionsPerParticipant: number | null;
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
    /** Conversions per participant; null unless every conversion counts. */
    count: ValueStatistics | null;
    /** Value per conversion; null for goals without values, and without conversions. */
    ratio: RatioStatistics | null;
    /** Null unless the method is `planned` and the result is not filtered. */
    planned: PlannedStatistics | null;
    /**
     * Relative: what the method finds with a probability of 80 % at the present sample; null where it cannot be told.
     */
    minimumDetectableEffect: number | null;
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
