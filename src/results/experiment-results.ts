import type { ArmStanding } from '../statistics/arm-standing';
import type { Correction, Method, Metric, SampleRatio, VariationStatistics } from '../statistics/result';
import type { Day } from '../common/time/clock';
import type { DeviceType } from '../events/device-types';

/** Filters by time: `mature` excludes participants whose conversion window is not over. */
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

/** The first goal is the primary one; guardrails follow the goals. */
export const GOAL_ROLES = ['primary', 'secondary', 'guardrail'] as const;
export type GoalRole = (typeof GOAL_ROLES)[number];

/** The statistics of one goal, with the data to explain them. */
export interface GoalResults {
  id: number;
  role: GoalRole;
  type: string;
  name: string;
  api_name: string;
  hasValue: boolean;
  /** The decisive metric of the goal. */
  metric: Metric;
  direction: 'increase' | 'decrease';
  /** ISO 4217 code of its values; null if they are not revenue, or the currency is unknown. */
  currency: string | null;
  /** In the order of the variations, including the original. */
  variations: VariationStatistics[];
  /** By variation id; without the original. */
  gates: ReadonlyMap<number, Gates>;
  /** For a guardrail: the ids of the variations that are significantly worse, for any method of the project. */
  tripped: readonly number[];
}

/** The requirements for a verdict about a variation, in addition to significance. */
export interface Gates {
  /** Participants who converted, in the variation and the original together. */
  conversions: number;
  conversionsNeeded: number;
  daysNeeded: number;
}

/** The experiment's current plan, for any method. */
export interface ResultPlan {
  /** Of all variations together; null without. */
  participants: number | null;
  /** Whether its last day has ended. */
  isEnded: boolean;
}

/** The results of an experiment under one filter. */
export interface ExperimentResults {
  experiment: { id: number; name: string; status: string; isFinal: boolean };
  plan: ResultPlan;
  /** Days in the status running, pauses excluded. */
  daysRunning: number;
  /** Whether there is any participant, regardless of the filter. */
  hasResults: boolean;
  participants: number;
  /**
   * The participants by variation id. For mature cohorts, a goal with a conversion window has fewer: here all count, as
   * for the sample ratio.
   */
  entered: ReadonlyMap<number, number>;
  crossovers: number;
  sampleRatio: SampleRatio;
  /** The expected part of the participants for each variation, as a fraction. */
  expectedShares: ReadonlyMap<number, number>;
  /** As a fraction. */
  significance: number;
  /** For several goals and variations; the Bayesian method uses none. */
  correction: Correction;
  /** Whether any goal has a conversion window. */
  hasWindows: boolean;
  /** In the order attached: the primary goal, the secondary ones, the guardrails. */
  goals: GoalResults[];
}

/** The goal that decides; undefined without one, even if there are guardrails. */
export const primaryOf = <G extends Pick<GoalResults, 'role'>>({
  goals,
}: {
  goals: readonly G[];
}): G | undefined => goals.find(({ role }) => role === 'primary');

/** The figures of one variation at the end of a day, over all days of the filter until then. */
export interface StandingOfVariation extends ArmStanding {
  variationId: number;
}

/** The figures of a goal day by day, including days without events. */
export interface GoalProgress {
  goalId: number;
  days: { day: Day; variations: StandingOfVariation[] }[];
}

/** The statistics of all goals, and their progress. */
export interface ExperimentReport {
  results: ExperimentResults;
  /** In the order attached. */
  progress: GoalProgress[];
}

/** The data of a goal's plot: its variations without their figures. */
export interface PlottedGoal extends Pick<
  GoalResults,
  'id' | 'name' | 'hasValue' | 'metric' | 'direction' | 'currency'
> {
  variations: { id: number; name: string; isOriginal: boolean }[];
}

/** The progress of one goal. */
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

/** The results of an experiment, and the progress of its primary goal. */
export interface ResultsOverview {
  results: ExperimentResults;
  /** Undefined without a goal. */
  progress: GoalProgress | undefined;
}
