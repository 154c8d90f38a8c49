import type { ArmStanding } from '../statistics/arm-standing';
import type { Correction, Method, Metric, SampleRatio, VariationStatistics } from '../statistics/result';
import type { Day } from '../common/time/days';
import type { DeviceType } from '../events/device-types';

/** Which participants are left out because of their time: those whose conversion window is not over. */
export const COHORTS = ['mature'] as const;
export type Cohorts = (typeof COHORTS)[number];

/** Filter: participants who entered from `start` to `end`, with their conversions until `end`. */
export interface ResultFilter {
  /** First UTC day; null = unbounded. */
  start: Day | null;
  /** Last UTC day, inclusive; null = today. */
  end: Day | null;
  /** Devices of the first exposure; null for all. */
  devices: readonly DeviceType[] | null;
  /** Null for all. */
  cohorts: Cohorts | null;
}

/** The statistics of one goal, and what is needed to tell about them. */
export interface GoalResults {
  id: number;
  type: string;
  name: string;
  api_name: string;
  hasValue: boolean;
  /** What the goal is judged by. */
  metric: Metric;
  direction: 'increase' | 'decrease';
  /** In the order of the variations; the original is among them. */
  variations: VariationStatistics[];
  /** By variation id; without the original. */
  gates: ReadonlyMap<number, Gates>;
}

/** What a verdict about a variation requires besides significance. */
export interface Gates {
  /** Participants who converted, in the variation and the original together. */
  conversions: number;
  conversionsNeeded: number;
  daysNeeded: number;
}

/** The results of an experiment under one filter. */
export interface ExperimentResults {
  experiment: { id: number; name: string; status: string; isFinal: boolean };
  /** Days in the status running, pauses excluded. */
  daysRunning: number;
  /** Is there any participant, regardless of the filter? */
  hasResults: boolean;
  participants: number;
  crossovers: number;
  sampleRatio: SampleRatio;
  /** Which part of the participants each variation should have, as a fraction. */
  expectedShares: ReadonlyMap<number, number>;
  /** As a fraction. */
  significance: number;
  /** For several goals and variations; the Bayesian method uses none. */
  correction: Correction;
  /** Does any goal have a conversion window? */
  hasWindows: boolean;
  /** In the order attached; the first is the primary goal. */
  goals: GoalResults[];
}

/** How one variation stood at the end of a day, over all days of the filter until then. */
export interface StandingOfVariation extends ArmStanding {
  variationId: number;
}

/** How a goal's figures came about, day by day; days without events are there too. */
export interface GoalProgress {
  goalId: number;
  days: { day: Day; variations: StandingOfVariation[] }[];
}

/** The statistics of all goals, and how they came about. */
export interface ExperimentReport {
  results: ExperimentResults;
  /** In the order attached. */
  progress: GoalProgress[];
}

/** What a plot of a goal shows: its variations without their figures. */
export interface PlottedGoal extends Pick<GoalResults, 'id' | 'name' | 'hasValue' | 'metric' | 'direction'> {
  variations: { id: number; name: string; isOriginal: boolean }[];
}

/** How one goal came about. */
export interface GoalHistory {
  experiment: { id: number; name: string };
  goal: PlottedGoal;
  progress: GoalProgress;
  /** Of the participants under the filter. */
  sampleRatio: SampleRatio;
  method: Method;
  /** As a fraction. */
  significance: number;
}

/** How an experiment stands, and how its primary goal came there. */
export interface ResultsOverview {
  results: ExperimentResults;
  /** Undefined without a goal. */
  progress: GoalProgress | undefined;
}
