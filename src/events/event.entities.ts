import { Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { FlagColumn, IdColumn, IntegerColumn, LockVersionColumn, MicrosColumn } from '../database/columns';
import { Project } from '../projects/project.entity';
import { Goal } from '../resources/goals/goal.entity';

/** Snippet errors of a project that webhooks have not reported yet. */
@Entity('snippet_error_counts')
export class SnippetErrorCount {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_snippet_error_counts_project' })
  project?: Relation<Project>;

  @IntegerColumn()
  untold: number;

  /** When the first of them was counted. */
  @MicrosColumn()
  since: Micros;

  /** 0 before the first report. */
  @MicrosColumn()
  told_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}

/**
 * An event of a visitor: an exposure has an experiment and a variation, a conversion has a goal. The table is clustered
 * by its primary key, which prevents duplicates and stores the events of a visitor next to each other.
 */
@Entity('events', { withoutRowid: true })
export class StoredEvent {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  @PrimaryColumn({ type: 'varchar', length: 36 })
  event_id: string;

  @MicrosColumn()
  occurred_at: Micros;

  @IntegerColumn({ nullable: true })
  experiment_id: number | null;

  @IntegerColumn({ nullable: true })
  variation_id: number | null;

  /** For an exposure, as reported by the client; null if not reported. */
  @IntegerColumn({ nullable: true })
  phase: number | null;

  @IntegerColumn({ nullable: true })
  goal_id: number | null;

  /** In 1/10,000 of the goal's unit; null for conversions without a value. */
  @Column({ type: 'bigint', nullable: true })
  value: number | null;

  /** Index in `DEVICE_TYPES`. */
  @IntegerColumn()
  device: number;

  /** Time of arrival; null unless it was more than 72 hours after the event. */
  @MicrosColumn({ nullable: true })
  arrived_at: Micros | null;

  /** Whether it is included in the results. */
  @FlagColumn()
  attributed: boolean;
}

/** A goal with at least one conversion. */
@Entity('collected_goals')
export class CollectedGoal {
  @PrimaryColumn({ type: 'integer' })
  goal_id: number;

  @OneToOne(() => Goal, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'goal_id', foreignKeyConstraintName: 'fk_collected_goals_goal' })
  goal?: Relation<Goal>;
}

/** A visitor with events that are not attributed yet. */
@Entity('dirty_visitors', { withoutRowid: true })
@Index('ix_dirty_visitors_marked_at', ['project_id', 'marked_at'])
export class DirtyVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  /** Incremented by each collection of events, so that it conflicts with a concurrent attribution of the visitor. */
  @LockVersionColumn()
  lock_version: number;

  /** When it was marked, before any of its events was acknowledged; 0 if a server of an earlier release marked it. */
  @MicrosColumn({ default: 0 })
  marked_at: Micros;
}

/** A project or an experiment that is being purged: its results, its row, and then its events. */
@Entity('event_purges')
export class PendingPurge {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  /** Null if the whole project was deleted. */
  @IntegerColumn({ nullable: true })
  experiment_id: number | null;

  /** When everything was deleted, if events may still arrive in ClickHouse: they are deleted later. */
  @MicrosColumn({ nullable: true })
  purged_at: Micros | null;

  /** The last batch that may have such events. */
  @Column({ type: 'bigint', nullable: true })
  up_to_batch: number | null;
}
