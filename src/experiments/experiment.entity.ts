import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
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

  /** Secret of the address under which the results are shared. */
  @TextColumn(64)
  share_token: string;

  /** When it first ran. */
  @MicrosColumn({ nullable: true })
  started_at: Micros | null;

  /** When it was paused; null unless it is paused. */
  @MicrosColumn({ nullable: true })
  paused_at: Micros | null;

  /** When it was archived; null unless it is archived. */
  @MicrosColumn({ nullable: true })
  archived_at: Micros | null;

  /** When it went to the trash; null while it is live. */
  @MicrosColumn({ nullable: true })
  deleted_at: Micros | null;

  /** 0 while it is live, its own id in the trash, so that what is there holds no api_name. */
  @IntegerColumn()
  trash_slot: number;
}
