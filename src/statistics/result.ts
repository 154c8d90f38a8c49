/*
 * The figures for one goal and variation, as in responses. Undefined numbers are null, never NaN or infinite, and
 * nothing is rounded. Rates are fractions, values are in the goal's own unit, and intervals are [lower, upper].
 */

export type Interval = [lower: number, upper: number];

export const METRICS = ['conversion', 'value', 'count'] as const;
/**
 * The block that determines `confidence` and `uplift`: `count` if every conversion counts, otherwise `value` for goals
 * with values, and `conversion` for all others.
 */
export type Metric = (typeof METRICS)[number];

export const METHODS = ['sequential', 'frequentist', 'bayesian', 'planned'] as const;
/** The method that determines `isConfident` and `verdict`. */
export type Method = (typeof METHODS)[number];

export const CORRECTIONS = ['none', 'holm', 'benjamini-hochberg'] as const;
/** How p-values are adjusted for several goals and variations. */
export type Correction = (typeof CORRECTIONS)[number];

/** The verdict is `untrustworthy` as long as there is a sample ratio mismatch, regardless of the figures. */
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

/** The result from the sequential test, which is valid at any time and for any number of looks. */
export interface SequentialStatistics {
  interval: Interval;
  /** Null if the control is not significantly different from 0. */
  upliftInterval: Interval | null;
  pValue: number;
  /** The sample size for which the interval is tightest. */
  tuning: number;
}

/**
 * The tests of conversion rates. `mantel-haenszel` is used if the share ratio changed while the experiment was running.
 */
export const RATE_TESTS = ['z-pooled', 'fisher', 'mantel-haenszel'] as const;
export type RateTest = (typeof RATE_TESTS)[number];

/** The tests of means. `stratified-welch` is used if the share ratio changed while the experiment was running. */
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
    /** The parameters of each rate's Beta prior; null if the difference is modelled as a normal distribution. */
    prior: [number, number] | null;
    /** Standard deviation of the normal prior for the uplift; null for a flat prior. */
    upliftPrior: number | null;
    chanceToBeatOriginal: number | null;
    chanceToBeBest: number | null;
    expectedLoss: number | null;
    differenceInterval: Interval | null;
    upliftInterval: Interval | null;
    /** The posterior uplift; null for a flat prior. */
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
    /** Standard deviation of the normal prior for the uplift; null for a flat prior. */
    upliftPrior: number | null;
    chanceToBeatOriginal: number | null;
    chanceToBeBest: number | null;
    expectedLoss: number | null;
    interval: Interval | null;
    /** The posterior uplift; null for a flat prior. */
    shrunkUplift: number | null;
  } | null;
}

/** Value per conversion: a ratio of two sums over participants. */
export interface RatioStatistics {
  estimate: number;
  standardError: number;
  interval: Interval;
  /** Variation - original. This field and the next two are null for the original. */
  difference: number | null;
  uplift: number | null;
  /** Two-sided p-value for a single look. */
  pValue: number | null;
}

/** The result of a group-sequential test according to the experiment's plan. */
export interface PlannedStatistics {
  /** Repeated confidence interval for the difference at the look on `lookedOn`. */
  interval: Interval | null;
  upliftInterval: Interval | null;
  /** Critical value of |z|; null if no error may be spent yet. */
  criticalValue: number | null;
  /** Completed fraction of the plan's information. At 1 and above, the plan is complete. */
  informationFraction: number;
  /** Number of looks so far. */
  looks: number;
  /**
   * The UTC day of the look to which the figures belong. This is the deciding look or, if there is none, the latest
   * look. Null before the first look.
   */
  lookedOn: string | null;
  /** Whether the plan has no further looks. */
  isOver: boolean;
  /** The UTC day of the deciding look; null if no look has decided. */
  decidedOn: string | null;
}

export interface Duration {
  daysRunning: number;
  /** A noisy forecast, based on the observed effect; null if it cannot be estimated. */
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
  /** Relative uplift; null for the original. */
  uplift: number | null;
  /** 1 - p from the fixed-horizon test; null for the original. */
  confidence: number | null;
  isConfident: boolean;
  duration: Duration;
  statistics: {
    metric: Metric;
    method: Method;
    /** The significance as a fraction. */
    significance: number;
    conversion: ConversionStatistics;
    value: ValueStatistics | null;
    /** Conversions per participant; null unless every conversion counts. */
    count: ValueStatistics | null;
    /** Value per conversion; null for goals without values or without conversions. */
    ratio: RatioStatistics | null;
    /** Null unless the method is `planned` and the result is not filtered. */
    planned: PlannedStatistics | null;
    /**
     * The relative effect that the method would detect in the current sample with a probability of 80 %; null if the
     * effect is not defined.
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
  /** Whether there are enough participants to detect a mismatch. */
  isDetectable: boolean;
  /** The participants whom the test excludes. */
  untested: UntestedParticipants;
}

/** Participants by the reason why they were not tested. */
export interface UntestedParticipants {
  /** Phases in which the bucketing ranges were unequally depleted. */
  depleted: number;
  /** Phases in which a variation has too few expected participants. */
  few: number;
  /** Participants whose phase is unknown. */
  unknown: number;
}
