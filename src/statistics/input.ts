import type { Correction, Method, Warning } from './result';

/** The counts of one goal among the participants of one variation, in one phase. */
export interface ArmTotals {
  participants: number;
  /** Participants who converted at least once. */
  converters: number;
  /** Conversion events. */
  conversions: number;
  /** Sum of all values, in 1/10,000 of the goal's unit; of a goal with a cap, the sum of the capped totals. */
  value: bigint;
  /** Sum over participants of the square of each one's (capped) total value, in (1/10,000)². */
  valueSquared: bigint;
  /** Sum over participants of the square of each one's number of conversions; null if it was not counted. */
  conversionsSquared: bigint | null;
  /** Sum over participants of (capped) total value times number of conversions; null if it was not counted. */
  valueByConversions: bigint | null;
  /** For a goal with a cap, the uncapped sum of all values, for display; null otherwise. */
  uncappedValue: bigint | null;
}

/** One variation of the experiment. */
export interface Arm {
  id: number;
  name: string;
  isOriginal: boolean;
}

/** The counts of a goal among the participants who entered in one phase. */
export interface PhaseTotals {
  /** The published shares by variation id, in any unit, without nulls; null if they are unknown. */
  shares: ReadonlyMap<number, number> | null;
  /** By variation id; absent variations have no counts. */
  totals: ReadonlyMap<number, ArmTotals>;
}

/** The figures of a goal at the end of a UTC day, over all days until then: one look of the method `planned`. */
export interface Look {
  /** `YYYY-MM-DD`. */
  date: string;
  /** Days in the status running until the end of that day, pauses excluded. */
  daysRunning: number;
  phases: readonly PhaseTotals[];
}

/** One goal. Phases in which two variations have the same share ratio are one stratum of their comparison. */
export interface GoalTotals {
  hasValue: boolean;
  direction: 'increase' | 'decrease';
  /** Whether each participant or every conversion counts. */
  counting: 'unique' | 'every';
  /** Guardrails are a separate family: they do not reduce the certainty of the goals. */
  isGuardrail?: boolean;
  phases: readonly PhaseTotals[];
  /**
   * One for each whole UTC day since the start, in order, including days on which the experiment did not run; for all
   * participants, without a filter. Null if the method is not `planned` or the result is filtered: then there is no
   * planned verdict.
   */
  looks: readonly Look[] | null;
  /** Whether the result is filtered in spite of its looks. They only show whether a removed plan had decided. */
  isFiltered?: boolean;
}

/** The planned sample size and end of an experiment, fixed at its first start. */
export interface ExperimentPlan {
  /** Of all variations together, at least 1. */
  participants: number;
  /** The planned shares by variation id, in any unit. */
  shares: ReadonlyMap<number, number>;
  /** The last day of the experiment, `YYYY-MM-DD` in UTC; null for none. */
  end: string | null;
  /** The day on which the plan was removed, which ends its looks; null while it is in force. */
  removedOn: string | null;
  /** The project's minimum conversions at the first start. */
  minConversions: number;
  minRuntimeDays: number;
}

/** The rules by which a project decides. */
export interface DecisionRules {
  method: Method;
  correction: Correction;
  /** Percent, such as 95. */
  significance: number;
  minConversions: number;
  minRuntimeDays: number;
}

/** The input of comparisons, except the counts. */
export interface ComparisonSettings {
  /** Error probability, above 0 and below 1. */
  alpha: number;
  /**
   * By variation id: the participants of that variation and the original at which the sequential test is strongest
   * (`tuningOfPair`); 5,000 if absent. It must depend on traffic alone, never on outcomes or filters.
   */
  tuning: ReadonlyMap<number, number>;
  /** Standard deviation of the normal prior of the uplift, as a fraction; null for a flat prior. */
  upliftPrior: number | null;
}

export interface ExperimentTotals extends Pick<ComparisonSettings, 'tuning' | 'upliftPrior'> {
  rules: DecisionRules;
  arms: readonly Arm[];
  goals: readonly GoalTotals[];
  /** Null for an experiment without one. */
  plan: ExperimentPlan | null;
  /** Days in the status running, pauses excluded. */
  daysRunning: number;
  /** Whether no more participants can enter. */
  isClosed: boolean;
  /** Days until the end of the planned last day, at least 0; null without one. */
  daysToPlannedEnd?: number | null;
  /** Whether the participants do not match the shares. */
  hasSampleRatioMismatch: boolean;
  /** Further warnings about the experiment as a whole, which every variation of every goal gets. */
  warnings?: readonly Warning[];
}
