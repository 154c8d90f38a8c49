import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import type { Micros } from '../common/time/clock';
import {
  FlagColumn,
  IdColumn,
  IntegerColumn,
  JsonColumn,
  LockVersionColumn,
  MicrosColumn,
  TextColumn,
} from '../database/columns';
import { Project } from '../projects/project.entity';
import { Goal } from '../resources/goals/goal.entity';
import type { IgnoredLinks, Rejections } from './import/import-report';

/** Snippet errors in a project that webhooks have not reported yet. */
@Entity('snippet_error_counts')
export class SnippetErrorCount {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_snippet_error_counts_project' })
  project?: Relation<Project>;

  @IntegerColumn()
  untold: number;

  /** When the first of these errors was counted. */
  @MicrosColumn()
  since: Micros;

  /** When errors were last reported; 0 before the first report. */
  @MicrosColumn()
  told_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}

/**
 * An event of a visitor: an exposure has an experiment and a variation; a conversion has a goal. The table is clustered
 * by its primary key, which prevents duplicates and stores a visitor's events next to each other.
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

  /** Phase of an exposure, as reported by the client; null if the client reported none. */
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

  /** Arrival time; null unless the event arrived more than 72 hours late. */
  @MicrosColumn({ nullable: true })
  arrived_at: Micros | null;

  /** Whether the results include the event. */
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

/** A visitor with new events, links or exclusions that are not attributed yet. */
@Entity('dirty_visitors', { withoutRowid: true })
@Index('ix_dirty_visitors_marked_at', ['project_id', 'marked_at'])
export class DirtyVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  /** Incremented when events are collected, so collection conflicts with a concurrent attribution of the visitor. */
  @LockVersionColumn()
  lock_version: number;

  /**
   * When the visitor was marked, before any of the new events were acknowledged. If release 0.1.0 marked the visitor: 1
   * if this happened before the migration, 0 if a process of that release was still running afterwards.
   */
  @MicrosColumn({ default: 0 })
  marked_at: Micros;
}

/** A project or an experiment that is being purged: first its results, then its row, and finally its events. */
@Entity('event_purges')
export class PendingPurge {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  /** Null if the whole project was deleted. */
  @IntegerColumn({ nullable: true })
  experiment_id: number | null;

  /**
   * The time by which the purge had deleted everything that had arrived; null unless more events may still arrive in
   * ClickHouse and need to be deleted.
   */
  @MicrosColumn({ nullable: true })
  purged_at: Micros | null;

  /** The last batch whose events may arrive after `purged_at`; null if `purged_at` is null. */
  @Column({ type: 'bigint', nullable: true })
  up_to_batch: number | null;
}

/** Progress in removing a project's old events. Any process can continue the pass where the last step ended. */
@Entity('event_retention')
export class EventRetention {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @OneToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_retention_project' })
  project?: Relation<Project>;

  /** The retention period in days at the start of the pass. */
  @IntegerColumn()
  days: number;

  /** All events that arrived before this time were attributed when the pass began; null if no pass is in progress. */
  @MicrosColumn({ nullable: true })
  attributed_at: Micros | null;

  /** The last visitor, in id order, whose events were checked. */
  @TextColumn(65)
  visited_to: string;

  /** When the next pass begins. */
  @MicrosColumn()
  due_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}

/** The hashed id of a deleted visitor. Messages with this id are rejected until the row expires. */
@Entity('deleted_visitors', { withoutRowid: true })
@Index('ix_deleted_visitors_expiry', ['expires_at'])
export class DeletedVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_deleted_visitors_project' })
  project?: Relation<Project>;

  @PrimaryColumn({ type: 'varchar', length: 64 })
  visitor_hash: string;

  @MicrosColumn()
  expires_at: Micros;
}

/** A visitor id that is linked to a canonical id. A canonical id is never linked to another id. */
@Entity('linked_visitors', { withoutRowid: true })
@Index('ix_linked_visitors_canonical', ['project_id', 'canonical_id'])
export class LinkedVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  @Column({ type: 'varchar', length: 65 })
  canonical_id: string;

  /** When the link arrived. Results that were already final ignore it. */
  @MicrosColumn()
  linked_at: Micros;

  /** Whether the results include the link. */
  @FlagColumn()
  attributed: boolean;

  /** Incremented by each attribution of the linked ids, so that no two transactions attribute them at the same time. */
  @LockVersionColumn()
  lock_version: number;
}

/** The number of links in a project. Transactions that add links update this row, so they run one after another. */
@Entity('link_counts')
export class LinkCount {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @IntegerColumn()
  links: number;

  @LockVersionColumn()
  lock_version: number;
}

/** Progress of a file import into a project, updated in the transaction that stores its events. */
@Entity('event_imports')
@Index('uq_event_imports_file', ['project_id', 'fingerprint'], { unique: true })
export class EventImport {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_imports_project' })
  project?: Relation<Project>;

  /** Hash of the file's content and format. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  /** The last line read; 0 at the start. */
  @IntegerColumn()
  line: number;

  @IntegerColumn()
  accepted: number;

  @JsonColumn()
  rejections: Rejections;

  /** Null if no batch has been stored yet, and for imports made by release 0.1.0, which did not link ids. */
  @JsonColumn()
  ignored_links: IgnoredLinks | null;

  /** Null until the whole file has been read. */
  @MicrosColumn({ nullable: true })
  finished_at: Micros | null;

  /** The project version when the import finished. */
  @IntegerColumn({ nullable: true })
  finished_version: number | null;
}
