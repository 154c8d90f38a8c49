import type { Correction, Method, Warning } from './result';

/** The counts for one goal and the participants in one variation and phase. */
export interface ArmTotals {
  participants: number;
  /** The number of participants who converted at least once. */
  converters: number;
  /** Conversion events. */
  conversions: number;
  /** Sum of all values, in ten-thousandths of the goal's unit. For a goal with a cap, the sum of the capped totals. */
  value: bigint;
  /** Sum over participants of the squared (capped) total value, in squared ten-thousandths of the unit. */
  valueSquared: bigint;
  /** Sum over participants of the squared number of conversions; null if the sum was not computed. */
  conversionsSquared: bigint | null;
  /**
   * Sum over participants of the (capped) total value times the number of conversions; null if the sum was not
   * computed.
   */
  valueByConversions: bigint | null;
  /** For a goal with a cap, the sum of all values without the cap, for display; null otherwise. */
  uncappedValue: bigint | null;
}

/** A variation in the experiment. */
export interface Arm {
  id: number;
  name: string;
  isOriginal: boolean;
}

/** The counts for a goal and the participants who entered in one phase. */
export interface PhaseTotals {
  /** The published shares by variation id, in any unit and without null values; null if they are unknown. */
  shares: ReadonlyMap<number, number> | null;
  /** The totals by variation id. A variation that is absent has no counts. */
  totals: ReadonlyMap<number, ArmTotals>;
}

/** A runtime. */
export interface Runtime {
  /** Days in the status `running`, excluding pauses. */
  daysRunning: number;
  /**
   * By variation id, those of the days on which the variation and the original both had a published share; all of them
   * for a variation that is absent.
   */
  daysCompared?: ReadonlyMap<number, number>;
}

/** The counts for a goal, and the runtime, up to the end of a UTC day: one look of the method `planned`. */
export interface Look extends Runtime {
  /** `YYYY-MM-DD`. */
  date: string;
  phases: readonly PhaseTotals[];
}

/** One goal. When two variations are compared, the phases in which they have the same share ratio form one stratum. */
export interface GoalTotals {
  hasValue: boolean;
  direction: 'increase' | 'decrease';
  /** Whether each participant counts once, or every conversion counts. */
  counting: 'unique' | 'every';
  /** Guardrails are a separate family, so they do not affect the corrected p-values of other goals. */
  isGuardrail?: boolean;
  phases: readonly PhaseTotals[];
  /** The runtime in which the counted participants could enter; that of the experiment if absent. */
  entryTime?: Runtime;
  /**
   * One look for each whole UTC day since the start, in order, including days on which the experiment did not run. The
   * looks include all participants, without a filter. Null if the method is not `planned` or the result is filtered. In
   * both cases, there is no planned verdict.
   */
  looks: readonly Look[] | null;
  /**
   * Whether the result is filtered although it has looks. The looks are then used only to determine whether a removed
   * plan had decided.
   */
  isFiltered?: boolean;
}

/** The planned sample size and end of an experiment, fixed when it first starts. */
export interface ExperimentPlan {
  /** The number of participants in all variations together, at least 1. */
  participants: number;
  /** The planned shares by variation id, in any unit. */
  shares: ReadonlyMap<number, number>;
  /** The last day of the experiment, `YYYY-MM-DD` in UTC; null if there is no end. */
  end: string | null;
  /** The day on which the plan was removed. The plan has no looks from that day on. Null while the plan applies. */
  removedOn: string | null;
  /** The project's minimum conversions at the first start. */
  minConversions: number;
  minRuntimeDays: number;
  /** The sizes of the two families at the first start; null for an empty family, or if the size is unknown. */
  comparisons?: { goals: number | null; guardrails: number | null };
}

/** The project settings that determine the verdicts. */
export interface DecisionRules {
  method: Method;
  correction: Correction;
  /** The significance in percent, such as 95. */
  significance: number;
  minConversions: number;
  minRuntimeDays: number;
}

/** The input for comparisons, except the counts. */
export interface ComparisonSettings {
  /** Error probability, above 0 and below 1. */
  alpha: number;
  /**
   * Tuning of the sequential test by variation id: the number of participants in that variation and the original for
   * which the test is most sensitive (`tuningOfPair`); 5,000 if absent. The tuning must depend only on traffic, never
   * on outcomes or filters.
   */
  tuning: ReadonlyMap<number, number>;
  /** Standard deviation of the normal prior on the uplift, as a fraction; null for a flat prior. */
  upliftPrior: number | null;
}

/** The only look of a method such as `frequentist`, if the experiment has a plan. */
export interface SingleLook {
  /** Whether the planned last day has ended. */
  isEnded: boolean;
  /**
   * Days until the planned number of participants is reached at the pace so far, or until the end of the last day,
   * whichever is shorter; null if it cannot be estimated.
   */
  daysLeft: number | null;
  /** Days until the end of the planned last day, at least 0; null without a planned last day. */
  daysToEnd: number | null;
}

export interface ExperimentTotals extends Runtime, Pick<ComparisonSettings, 'tuning' | 'upliftPrior'> {
  rules: DecisionRules;
  arms: readonly Arm[];
  goals: readonly GoalTotals[];
  /** Null for an experiment without a plan. */
  plan: ExperimentPlan | null;
  /** Whether no further participants can enter the experiment. */
  isClosed: boolean;
  /**
   * The ids of variations whose comparison gets no further participants while the experiment continues; none if absent.
   */
  stopped?: ReadonlySet<number>;
  /** Days until the end of the last planned day, at least 0; null if there is no planned end. */
  daysToPlannedEnd?: number | null;
  /** The end of the plan for methods that allow a single look; null or absent without a plan, or with a filter. */
  singleLook?: SingleLook | null;
  /** Whether the participant counts deviate from the shares by more than chance can explain (sample ratio mismatch). */
  hasSampleRatioMismatch: boolean;
  /** Additional warnings about the whole experiment, which are added to every variation of every goal. */
  warnings?: readonly Warning[];
}
