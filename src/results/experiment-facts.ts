import type { Micros } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import type { Phase } from '../experiments/experiment-run.store';
import type { Experiment } from '../experiments/experiment.entity';
import type { Goal } from '../resources/goals/goal.entity';
import type { Project } from '../projects/project.entity';
import type { ExperimentPlan } from '../statistics/input';
import type { Variation } from '../experiments/variations/variation.entity';

/* The columns from which results are computed, and the row types. */

export const EXPERIMENT = [
  'id',
  'name',
  'status',
  'shared',
  'share_token',
  'archived_at',
  'traffic_in_ranges',
  'planned_participants',
  'planned_end',
] as const;
export const SETTINGS = [
  'significance',
  'min_conversions',
  'min_runtime_days',
  'statistics_method',
  'statistics_correction',
  'uplift_prior',
  'currency',
] as const;
export const VARIATION = ['id', 'name', 'is_original', 'traffic_allocation'] as const;
export const GOAL = [
  'id',
  'type',
  'name',
  'api_name',
  'value_type',
  'direction',
  'counting',
  'conversion_window_days',
] as const;

export interface AttachedGoal extends Pick<Goal, (typeof GOAL)[number]> {
  isGuardrail: boolean;
}

/** The input for an experiment's results, except the cells. */
export interface ExperimentFacts {
  experiment: Pick<Experiment, (typeof EXPERIMENT)[number]>;
  settings: Pick<Project, (typeof SETTINGS)[number]>;
  /** In id order. */
  variations: Pick<Variation, (typeof VARIATION)[number]>[];
  /** In the order in which they are attached, guardrails last. */
  goals: AttachedGoal[];
  /** In chronological order. */
  runs: Run[];
  /** In order; empty if the experiment has never been published. */
  phases: Phase[];
  /** The plan, even after its removal; null if the experiment started without a plan. */
  plan: ExperimentPlan | null;
  /** Whether a decision is recorded. */
  isDecided: boolean;
  /** Whether there are any participants. */
  hasResults: boolean;
  firstEventAt: Micros | null;
  lastEventAt: Micros | null;
  /** When a final result was last changed manually. */
  revisedAt: Micros | null;
  /** Events before this time were removed; null if no events were removed. */
  eventsRemovedUntil: Micros | null;
  /** Whether the cells are being rebuilt because the counting rules have changed. */
  isRecomputing: boolean;
  /**
   * The tuning of each variation's sequential test, by variation id. The tuning depends only on traffic, not on the
   * filter.
   */
  tuning: ReadonlyMap<number, number>;
  /** Whether the cells contain sums of squared conversions. */
  hasSquares: boolean;
}
