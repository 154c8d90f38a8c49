import type { Correction, Method } from './result';

/** What was counted for one goal among the participants of one variation. */
export interface ArmTotals {
  participants: number;
  /** Participants who converted at least once. */
  converters: number;
  /** Conversion events. */
  conversions: number;
  /** Sum of all values, in 1/10,000 of the goal's unit. */
  value: bigint;
  /** Sum over participants of the square of each one's total value, in (1/10,000)². */
  valueSquared: bigint;
}

/** One variation of the experiment. */
export interface Arm {
  id: number;
  name: string;
  isOriginal: boolean;
}

/** One goal; variations that `totals` does not have count as zero. */
export interface GoalTotals {
  hasValue: boolean;
  direction: 'increase' | 'decrease';
  totals: ReadonlyMap<number, ArmTotals>;
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

export interface ExperimentTotals {
  rules: DecisionRules;
  arms: readonly Arm[];
  goals: readonly GoalTotals[];
  /** Days in the status running, pauses excluded. */
  daysRunning: number;
  /** Can nobody be among the participants any more who is not already? */
  isClosed: boolean;
  /** Do the participants divide otherwise than the shares say? */
  hasSampleRatioMismatch: boolean;
}
