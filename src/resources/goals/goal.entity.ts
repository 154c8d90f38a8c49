import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import {
  AmountColumn,
  FlagColumn,
  IntegerColumn,
  MediumTextColumn,
  TextColumn,
} from '../../database/columns';
import { NamedRow } from '../../database/named-rows';
import { Page } from '../pages/page.entity';
import { Project } from '../../projects/project.entity';

export const GOAL_TYPES = ['custom', 'pageview', 'click'] as const;
export const VALUE_TYPES = ['none', 'number', 'revenue'] as const;
export const COUNTINGS = ['unique', 'every'] as const;
export const DIRECTIONS = ['increase', 'decrease'] as const;

@Entity('goals')
@Index('uq_goals_api_name', ['project_id', 'api_name'], { unique: true })
@Index('ix_goals_name_key', ['project_id', 'name_key'])
@Index('ix_goals_page', ['page_id'])
export class Goal extends NamedRow {
  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_goals_project' })
  project?: Relation<Project>;

  @TextColumn(64)
  api_name: string;

  @MediumTextColumn({ nullable: true })
  description: string | null;

  @TextColumn(16)
  type: (typeof GOAL_TYPES)[number];

  /** CSS selector of the elements whose clicks count; click goals only. */
  @MediumTextColumn({ nullable: true })
  selector: string | null;

  /** The page whose views count; pageview goals only. */
  @IntegerColumn({ nullable: true })
  page_id: number | null;

  /** A page with goals cannot be deleted, except together with its project. */
  @ManyToOne(() => Page, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'page_id', foreignKeyConstraintName: 'fk_goals_page' })
  page?: Relation<Page> | null;

  @TextColumn(16)
  value_type: (typeof VALUE_TYPES)[number];

  @TextColumn(16)
  direction: (typeof DIRECTIONS)[number];

  /** Whether each participant counts only once, or every conversion counts. */
  @TextColumn(16, { default: 'unique' })
  counting: (typeof COUNTINGS)[number];

  /** Whether conversions that are sent with the public client key are rejected. */
  @FlagColumn({ default: false })
  trusted_only: boolean;

  /**
   * Number of UTC days after the day of entry during which conversions count; null if they count as long as the
   * experiment runs.
   */
  @IntegerColumn({ nullable: true })
  conversion_window_days: number | null;

  /** Cap on a participant's total value, in the goal's unit; null if there is no cap. */
  @AmountColumn({ nullable: true })
  value_cap: number | null;
}
