import type { Correction, Interval, SampleRatio, VariationStatistics } from '../statistics/result';
import type { Day } from '../common/time/days';
import type { DeviceType } from '../events/device-types';

/** Which participants a result is about: who entered from `start` to `end`, and what they did until `end`. */
export interface ResultFilter {
  /** First UTC day; null is the beginning. */
  start: Day | null;
  /** Last UTC day, whole; null is now. */
  end: Day | null;
  /** Devices of the first exposure; null for all. */
  devices: readonly DeviceType[] | null;
}

/** The statistics of one goal, and what is needed to tell about them. */
export interface GoalResults {
  id: number;
  type: string;
  name: string;
  api_name: string;
  hasValue: boolean;
  direction: 'increase' | 'decrease';
  /** In the order of the variations; the original is among them. */
  variations: VariationStatistics[];
}

/** All that the cells of an experiment say under one filter. */
export interface ExperimentResults {
  experiment: { id: number; name: string; status: string };
  /** Days in the status running, pauses excluded. */
  daysRunning: number;
  /** Is there any participant, whatever the filter? */
  hasResults: boolean;
  participants: number;
  crossovers: number;
  sampleRatio: SampleRatio;
  /** As a fraction. */
  significance: number;
  /** For several goals and variations; the Bayesian method uses none. */
  correction: Correction;
  /** In the order attached; the first is the primary goal. */
  goals: GoalResults[];
}

/** How one variation stood at the end of a day, over all days of the filter until then. */
export interface StandingOfVariation {
  variationId: number;
  participants: number;
  /** Conversion rate, or value per participant for goals with values; null without participants. */
  estimate: number | null;
  interval: Interval | null;
  /** Relative to the original; null for the original. */
  uplift: number | null;
  upliftInterval: Interval | null;
}

/** How a goal's figures came about, day by day; days without events are there too. */
export interface GoalProgress {
  goalId: number;
  days: { day: Day; variations: StandingOfVariation[] }[];
}

/** How an experiment stands, and how its primary goal came there. */
export interface ResultsOverview {
  results: ExperimentResults;
  /** Undefined without a goal. */
  progress: GoalProgress | undefined;
}
