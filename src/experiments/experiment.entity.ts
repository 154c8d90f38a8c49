import { Entity, Index, JoinColumn, ManyToOne, Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  DayColumn,
  FlagColumn,
  IdColumn,
  IntegerColumn,
  LinesColumn,
  LongTextColumn,
  MicrosColumn,
  PercentColumn,
  TextColumn,
} from '../database/columns';
import { NamedRow } from '../database/rows';
import { Project } from '../projects/project.entity';
import type { ExperimentStatus } from './experiment-status';

export const MATCH_TYPES = ['any', 'all'] as const;

@Entity('experiments')
@Index('uq_experiments_api_name', ['project_id', 'api_name', 'trash_slot'], { unique: true })
@Index('uq_experiments_share_token', ['share_token'], { unique: true })
@Index('ix_experiments_name_key', ['project_id', 'name_key'])
@Index('ix_experiments_deleted_at', ['deleted_at'])
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

  @LongTextColumn({ nullable: true })
  description: string | null;

  @TextColumn(2048, { nullable: true })
  example_url: string | null;

  /** Percent of the eligible visitors who take part. */
  @PercentColumn()
  traffic_allocation: number;

  /** Do the ranges of the variations hold the traffic? Only of experiments that started in the first release. */
  @FlagColumn({ default: false })
  traffic_in_ranges: boolean;

  @TextColumn(8)
  audiences_match_type: (typeof MATCH_TYPES)[number];

  @LinesColumn()
  tags: string[];

  @LongTextColumn({ nullable: true })
  js: string | null;

  @LongTextColumn({ nullable: true })
  reset_js: string | null;

  @LongTextColumn({ nullable: true })
  css: string | null;

  /** Relative, in percent: the smallest effect that is worth finding; null where nobody said. */
  @PercentColumn({ nullable: true })
  minimum_effect: number | null;

  /** Of all variations together; null without a plan. */
  @IntegerColumn({ nullable: true })
  planned_participants: number | null;

  /** The last day, `YYYY-MM-DD`; null for none. */
  @DayColumn({ nullable: true })
  planned_end: string | null;

  /** Secret of the share link. */
  @TextColumn(64)
  share_token: string;

  /** Version of the preview links; part of the signed text. */
  @IntegerColumn({ default: 0 })
  preview_version: number;

  /** When it first ran. */
  @MicrosColumn({ nullable: true })
  started_at: Micros | null;

  /** When it was paused; null unless it is paused. */
  @MicrosColumn({ nullable: true })
  paused_at: Micros | null;

  /** When it was archived; null unless it is archived. */
  @MicrosColumn({ nullable: true })
  archived_at: Micros | null;

  /** Time of deletion; null if not deleted. */
  @MicrosColumn({ nullable: true })
  deleted_at: Micros | null;

  /** 0, or its own id in the trash, so that deleted experiments do not block an api_name. */
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

  /** Null while it runs. */
  @MicrosColumn({ nullable: true })
  ended_at: Micros | null;
}
