import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import {
  FlagColumn,
  IntegerColumn,
  LockVersionColumn,
  MicrosColumn,
  TextColumn,
} from '../../database/columns';

/**
 * A gate for transactions that change or count the events in this database. Each of them updates one of these rows. A
 * move, or the first batch in ClickHouse, closes all rows, so it conflicts with these transactions on every node of a
 * cluster. There are several rows so that transactions rarely wait for each other.
 */
@Entity('event_gates')
export class EventGate {
  @PrimaryColumn({ type: 'integer' })
  slot: number;

  /** Whether the events have been moved to ClickHouse, or are being moved there. */
  @FlagColumn()
  is_closed: boolean;

  @LockVersionColumn()
  lock_version: number;
}

/** The move of this database's events to ClickHouse. The table has at most one row. */
@Entity('event_moves')
export class EventMove {
  /** 1; 2 after the move was cancelled, until ClickHouse is used again. */
  @PrimaryColumn({ type: 'integer' })
  id: number;

  /** The key of the last event that was copied. */
  @IntegerColumn()
  project_id: number;

  @TextColumn(65)
  visitor_id: string;

  @TextColumn(36)
  event_id: string;

  /** Number of copied events. */
  @Column({ type: 'bigint', default: 0 })
  events: number;

  /** Number of batches with events that were not attributed when the move began. */
  @IntegerColumn()
  waiting_batches: number;

  /** Identifies the move: ClickHouse notes it before it stores the first copies. */
  @MicrosColumn()
  started_at: Micros;

  /**
   * When the move finished: ClickHouse had all events and, unless the comparison was skipped, the same results as this
   * database. Null until then.
   */
  @MicrosColumn({ nullable: true })
  finished_at: Micros | null;

  @LockVersionColumn()
  lock_version: number;
}
