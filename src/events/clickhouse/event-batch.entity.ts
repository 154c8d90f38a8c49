import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IntegerColumn, LockVersionColumn, MicrosColumn } from '../../database/columns';

/** States of a batch: only the events of attributed ones are part of results. */
export const OPEN = 0;
export const STORED = 1;
export const ATTRIBUTED = 2;
/** Never acknowledged; its events, if any, never count. */
export const CLOSED = 3;

/** A batch of events in ClickHouse. Attributed batches up to the mark `low_water` have no row. */
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

/** Counters of the event log in ClickHouse; no rows while events are in the main database. */
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
