import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IdColumn, IntegerColumn, LockVersionColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { Project } from '../../projects/project.entity';

/** Events to be deleted from ClickHouse. Until they are deleted, every statement excludes them. */
@Entity('event_removals')
export class PendingRemoval {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_event_removals_project' })
  project?: Relation<Project>;

  /** Only events with this visitor id are deleted; null = events from all visitors. */
  @TextColumn(65, { nullable: true })
  visitor_id: string | null;

  /** Only events that happened before this time are deleted; null = events from any time. */
  @MicrosColumn({ nullable: true })
  happened_before: Micros | null;

  /** The last batch whose events are deleted. Events in later batches are kept. */
  @Column({ type: 'bigint' })
  up_to_batch: number;

  @MicrosColumn()
  requested_at: Micros;
}

/** Batch states. Results include only the events in attributed batches. */
export const OPEN = 0;
export const STORED = 1;
export const ATTRIBUTED = 2;
/** The batch was never acknowledged, so its events, if any, never count. */
export const CLOSED = 3;

/** A batch of events in ClickHouse. Attributed batches up to the `low_water` mark have no row. */
@Entity('event_batches')
@Index('ix_event_batches_state', ['state', 'id'])
export class EventBatch {
  /** Ids are committed in ascending order. */
  @PrimaryColumn({ type: 'bigint' })
  id: number;

  @IntegerColumn()
  state: number;

  /** Number of events. */
  @IntegerColumn()
  events: number;

  @MicrosColumn()
  opened_at: Micros;
}

/** Counters of the event log in ClickHouse; the table has no rows while events are in the main database. */
@Entity('event_log_marks')
export class EventLogMark {
  /** `owner`, `last_batch`, `low_water`, `attribution` or `removals`. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  name: string;

  @Column({ type: 'bigint' })
  position: number;

  @LockVersionColumn()
  lock_version: number;
}
