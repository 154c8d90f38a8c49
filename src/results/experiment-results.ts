import type { ArmEstimate } from '../statistics/arm-estimate';
import type { Correction, Method, Metric, SampleRatio, VariationStatistics } from '../statistics/result';
import type { Day } from '../common/time/clock';
import type { DeviceType } from '../events/device-types';

/** The values of the cohort filter. `mature` excludes participants whose conversion window has not ended. */
export const COHORTS = ['mature'] as const;
export type Cohorts = (typeof COHORTS)[number];

/** Filter: participants who entered from `start` to `end`, with their conversions until `end`. */
export interface ResultFilter {
  /** First UTC day; null = unbounded. */
  start: Day | null;
  /** Last UTC day, inclusive; null = today. */
  end: Day | null;
  /** Device types at the first exposure; null for all. */
  devices: readonly DeviceType[] | null;
  /** Null if there is no cohort filter. */
  cohorts: Cohorts | null;
}

/** Roles of an experiment's goals. The first goal is the primary one, and guardrails come after all other goals. */
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
  /** The metric that decides the goal's verdict. */
  metric: Metric;
  direction: 'increase' | 'decrease';
  /** ISO 4217 code of the goal's values; null if the values are not revenue, or the currency is unknown. */
  currency: string | null;
  /** In variation order, including the original. */
  variations: VariationStatistics[];
  /** By variation id, without the original. */
  gates: ReadonlyMap<number, Gates>;
  /** For a guardrail, the ids of the variations that are significantly worse, regardless of the project's method. */
  tripped: readonly number[];
}

/** The requirements for a verdict on a variation, in addition to significance. */
export interface Gates {
  /** Participants who converted, in the variation and the original combined. */
  conversions: number;
  conversionsNeeded: number;
  daysNeeded: number;
  /** Whether the plan is over, see `isPlanOver`. */
  isPlanOver: boolean;
  /** The only look of the method, as long as it is still to come; null without a plan, or for other methods. */
  plannedLook: PlannedLook | null;
  intake: Intake;
}

/**
 * Whether participants can enter: `stopped` variations get no traffic while the experiment continues, `closed` ones have
 * ended with their experiment. A comparison with a stopped original is stopped, too.
 */
export type Intake = 'open' | 'stopped' | 'closed';

/** The end of a plan: the earlier of its last day and its number of participants. */
export interface PlannedLook {
  /** The last day; null without one. */
  end: Day | null;
  /** Null without a planned number of participants. */
  participants: number | null;
  /** Days until then; null if they cannot be estimated. */
  daysLeft: number | null;
}

/** The results of an experiment under one filter. */
export interface ExperimentResults {
  experiment: {
    id: number;
    name: string;
    status: string;
    isFinal: boolean;
    /** Whether a decision is recorded. */
    isDecided: boolean;
  };
  /** Days with the status `running`, excluding pauses. */
  daysRunning: number;
  /** Whether there are any participants at all, regardless of the filter. */
  hasResults: boolean;
  participants: number;
  /**
   * The participants by variation id. The cohort filter may exclude participants from a goal with a conversion window,
   * but not from these counts, which the sample ratio check also uses.
   */
  entered: ReadonlyMap<number, number>;
  crossovers: number;
  sampleRatio: SampleRatio;
  /** The expected share of participants for each variation, as a fraction. */
  expectedShares: ReadonlyMap<number, number>;
  /** As a fraction. */
  significance: number;
  /** The multiple-comparison correction for several goals and variations. The Bayesian method has none. */
  correction: Correction;
  /** Whether any goal has a conversion window. */
  hasWindows: boolean;
  /** In the order attached: the primary goal, secondary goals, guardrails. */
  goals: GoalResults[];
}

/** The primary goal, which decides the experiment; undefined if there are no goals, even if there are guardrails. */
export const primaryOf = <G extends Pick<GoalResults, 'role'>>({
  goals,
}: {
  goals: readonly G[];
}): G | undefined => goals.find(({ role }) => role === 'primary');

/** The figures of one variation at the end of a day, cumulative over all days of the filter up to that day. */
export interface VariationEstimate extends ArmEstimate {
  variationId: number;
}

/** A goal's figures for each day, including days without events. */
export interface GoalProgress {
  goalId: number;
  days: { day: Day; variations: VariationEstimate[] }[];
}

/** The statistics of all goals, and their progress. */
export interface ExperimentReport {
  results: ExperimentResults;
  /** In the order attached. */
  progress: GoalProgress[];
}

/** The goal of a plot, with its variations but without their figures. */
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
  /** The sample ratio of the participants under the filter. */
  sampleRatio: SampleRatio;
  /** Whether any goal of the experiment has a conversion window. */
  hasWindows: boolean;
  method: Method;
  /** As a fraction. */
  significance: number;
}

/** The results of an experiment, and the progress of its primary goal. */
export interface ResultsOverview {
  results: ExperimentResults;
  /** Undefined if there is no goal. */
  progress: GoalProgress | undefined;
}
