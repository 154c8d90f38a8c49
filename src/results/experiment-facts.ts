import type { Micros } from '../common/time/clock';
import type { Run } from '../events/counting-rules';
import type { Phase } from '../experiments/experiment-phase.store';
import type { Experiment } from '../experiments/experiment.entity';
import type { Goal } from '../goals/goal.entity';
import type { Project } from '../projects/project.entity';
import type { ExperimentPlan } from '../statistics/input';
import type { Variation } from '../variations/variation.entity';

/* Columns that results are made from, and what is read of them. */

export const EXPERIMENT = [
  'id',
  'name',
  'status',
  'share_token',
  'archived_at',
  'traffic_in_ranges',
] as const;
export const SETTINGS = [
  'significance',
  'min_conversions',
  'min_runtime_days',
  'statistics_method',
  'statistics_correction',
  'uplift_prior',
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

export type AttachedGoal = Pick<Goal, (typeof GOAL)[number]>;

/** The input of an experiment's results, except its cells. */
export interface ExperimentFacts {
  experiment: Pick<Experiment, (typeof EXPERIMENT)[number]>;
  settings: Pick<Project, (typeof SETTINGS)[number]>;
  /** Ordered by id. */
  variations: Pick<Variation, (typeof VARIATION)[number]>[];
  /** In the order attached. */
  goals: AttachedGoal[];
  /** From the first on. */
  runs: Run[];
  /** From the first on; none of an experiment that was never published. */
  phases: Phase[];
  /** Also after its removal; null of an experiment that was started without one. */
  plan: ExperimentPlan | null;
  /** Is there any participant? */
  hasResults: boolean;
  firstEventAt: Micros | null;
  lastEventAt: Micros | null;
  /** When a final result was last changed manually. */
  revisedAt: Micros | null;
  /** Are the cells being rebuilt because of changed counting rules? */
  isRecomputing: boolean;
  /** Of each variation's sequential test, by variation id: it follows from traffic alone, whatever the filter. */
  tuning: ReadonlyMap<number, number>;
  /** Do the cells have sums of squares of conversions? */
  hasSquares: boolean;
}
