import { Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryColumn, Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  DayColumn,
  FlagColumn,
  IdColumn,
  IntegerColumn,
  JsonColumn,
  LinesColumn,
  MediumTextColumn,
  MicrosColumn,
  MomentColumn,
  PercentColumn,
  TextColumn,
} from '../database/columns';
import { NamedRow } from '../database/named-rows';
import { Project } from '../projects/project.entity';
import type { Goal } from '../resources/goals/goal.entity';
import type { Decision } from './decision';
import type { ExperimentStatus } from './experiment-status';
import type { ScheduleAuthors } from './schedule';

export const MATCH_TYPES = ['any', 'all'] as const;
export const GUARDRAIL_ACTIONS = ['none', 'pause'] as const;

/** A guardrail that has paused the experiment, and the variation that performed worse on it. */
export interface GuardrailTrip {
  goal_id: number;
  variation_id: number;
  /**
   * The goal's direction at that time. In the other direction, the guardrail can pause the experiment again. Absent in
   * trips from before the direction was recorded.
   */
  direction?: Goal['direction'];
}

@Entity('experiments')
@Index('uq_experiments_api_name', ['project_id', 'api_name', 'trash_slot'], { unique: true })
@Index('uq_experiments_share_token', ['share_token'], { unique: true })
@Index('ix_experiments_name_key', ['project_id', 'name_key'])
@Index('ix_experiments_deleted_at', ['deleted_at'])
@Index('ix_experiments_exclusion_group', ['exclusion_group_id'])
@Index('ix_experiments_starts_at', ['starts_at'])
@Index('ix_experiments_ends_at', ['ends_at'])
export class Experiment extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_experiments_project' })
  project?: Relation<Project>;

  @TextColumn(64)
  api_name: string;

  @TextColumn(16)
  status: ExperimentStatus;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  /** The expected effect, and why it is expected. */
  @MediumTextColumn({ nullable: true })
  hypothesis: string | null;

  @TextColumn(2048, { nullable: true })
  example_url: string | null;

  /** Percentage of eligible visitors who take part. */
  @PercentColumn()
  traffic_allocation: number;

  /**
   * Whether the same hash selects participants and assigns variations, in which case the traffic allocation is built
   * into the variations' ranges. True only for experiments that were started with the first release.
   */
  @FlagColumn({ default: false })
  traffic_in_ranges: boolean;

  /**
   * Id of the exclusion group; null if there is no group. A visitor takes part in at most one experiment in a group.
   */
  @IntegerColumn({ nullable: true })
  exclusion_group_id: number | null;

  /** Percentage of the exclusion group's visitors that the experiment gets. */
  @PercentColumn({ default: 10_000 })
  exclusion_share: number;

  @TextColumn(8)
  audiences_match_type: (typeof MATCH_TYPES)[number];

  @LinesColumn()
  tags: string[];

  @MediumTextColumn({ nullable: true })
  js: string | null;

  @MediumTextColumn({ nullable: true })
  reset_js: string | null;

  @MediumTextColumn({ nullable: true })
  css: string | null;

  /** The smallest relative effect worth detecting, in percent; null if unknown. */
  @PercentColumn({ nullable: true })
  minimum_effect: number | null;

  /** The planned number of participants in all variations together; null if there is no plan. */
  @IntegerColumn({ nullable: true })
  planned_participants: number | null;

  /** The planned last day, `YYYY-MM-DD`; null if there is none. */
  @DayColumn({ nullable: true })
  planned_end: string | null;

  /** The action taken when a guardrail finds that a variation is significantly worse. */
  @TextColumn(16, { default: 'none' })
  guardrail_action: (typeof GUARDRAIL_ACTIONS)[number];

  /** Guardrail trips that have paused the experiment; they do not pause it again. Null before the first such pause. */
  @JsonColumn()
  guardrail_trips: GuardrailTrip[] | null;

  @JsonColumn()
  decision: Decision | null;

  /** Whether the share link works. */
  @FlagColumn({ default: true })
  shared: boolean;

  /** Secret of the share link. */
  @TextColumn(64)
  share_token: string;

  /** Version of the preview links, which is part of the signed text. */
  @IntegerColumn({ default: 0 })
  preview_version: number;

  /** When the server starts the experiment; null if there is no scheduled start. */
  @MomentColumn({ nullable: true })
  starts_at: string | null;

  /** When the server archives the experiment; null if there is no scheduled end. */
  @MomentColumn({ nullable: true })
  ends_at: string | null;

  /** Why the server could not make a scheduled change; null if none has failed. */
  @MediumTextColumn({ nullable: true })
  schedule_error: string | null;

  /** The users who set the scheduled times. */
  @JsonColumn()
  schedule_authors: ScheduleAuthors | null;

  /** Time of the first start. */
  @MicrosColumn({ nullable: true })
  started_at: Micros | null;

  /** When the experiment was paused; null unless it is paused. */
  @MicrosColumn({ nullable: true })
  paused_at: Micros | null;

  /** Why the server paused the experiment; null if the server did not pause it. */
  @MediumTextColumn({ nullable: true })
  paused_reason: string | null;

  /** When the experiment was archived; null unless it is archived. */
  @MicrosColumn({ nullable: true })
  archived_at: Micros | null;

  /** When the experiment was deleted; null if it is not deleted. */
  @MicrosColumn({ nullable: true })
  deleted_at: Micros | null;

  /** 0, or the experiment's own id while it is in the trash, so deleted experiments do not block an api_name. */
  @IntegerColumn()
  trash_slot: number;
}

/** A period in which an experiment was running. */
@Entity('experiment_runs')
@Index('ix_experiment_runs_experiment', ['experiment_id'])
export class ExperimentRun {
  @IdColumn()
  id: number;

  @IntegerColumn()
  experiment_id: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_runs_experiment' })
  experiment?: Relation<Experiment>;

  @MicrosColumn()
  started_at: Micros;

  /** Null until the run ends. */
  @MicrosColumn({ nullable: true })
  ended_at: Micros | null;
}

/** A period in which the experiment's live variations and their shares did not change. */
@Entity('experiment_phases')
@Index('uq_experiment_phases_number', ['experiment_id', 'number'], { unique: true })
export class ExperimentPhase {
  @IdColumn()
  id: number;

  @IntegerColumn()
  experiment_id: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_phases_experiment' })
  experiment?: Relation<Experiment>;

  /** Numbered from 1 within each experiment. */
  @IntegerColumn()
  number: number;

  @MicrosColumn()
  began_at: Micros;

  /**
   * A JSON object with the published shares in basis points, by variation id. Variations without a share are omitted.
   */
  @MediumTextColumn()
  shares: string;

  /** Whether the traffic allocation was below 100 % (and above 0) at any time during the phase. */
  @FlagColumn({ default: false })
  has_partial_traffic: boolean;
}

/** The plan for an experiment, which is fixed at its first start. Experiments without a plan have no row. */
@Entity('experiment_plans')
export class ExperimentPlanRow {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @OneToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_plans_experiment' })
  experiment?: Relation<Experiment>;

  /** The planned number of participants in all variations together. */
  @IntegerColumn()
  participants: number;

  /** The planned last day; null if there is none. */
  @DayColumn({ nullable: true })
  end_day: string | null;

  /** The day on which the plan was removed; null while it is in force. */
  @DayColumn({ nullable: true })
  removed_day: string | null;

  /* The project's minimum conversions and minimum runtime at the first start. */

  @IntegerColumn()
  min_conversions: number;

  @IntegerColumn()
  min_runtime_days: number;

  /*
   * The number of comparisons with the original at the first start, one for each goal (or guardrail) and variation. Null
   * if there were none, or if the plan was fixed before these numbers were stored.
   */

  @IntegerColumn({ nullable: true })
  goal_comparisons: number | null;

  @IntegerColumn({ nullable: true })
  guardrail_comparisons: number | null;
}
