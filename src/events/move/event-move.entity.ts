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
 * What every transaction that changes the events of this database, or counts them, passes through. It changes one of
 * these rows, and a move or the first batch in ClickHouse closes all of them, so both conflict on every node of a cluster.
 * There are several, so that transactions rarely wait for each other.
 */
@Entity('event_gates')
export class EventGate {
  @PrimaryColumn({ type: 'integer' })
  slot: number;

  /** The events have gone, or are going, to ClickHouse. */
  @FlagColumn()
  is_closed: boolean;

  @LockVersionColumn()
  lock_version: number;
}

/** The move of the events of this database to ClickHouse. There is at most one row. */
@Entity('event_moves')
export class EventMove {
  @PrimaryColumn({ type: 'integer' })
  id: number;

  /** The key of the last event that was copied. */
  @IntegerColumn()
  project_id: number;

  @TextColumn(65)
  visitor_id: string;

  @TextColumn(36)
  event_id: string;

  /** How many events were copied. */
  @Column({ type: 'bigint', default: 0 })
  events: number;

  /** How many batches of them were not attributed when the move began. */
  @IntegerColumn()
  waiting_batches: number;

  @MicrosColumn()
  started_at: Micros;

  /** When ClickHouse had all events, and counted them as this database had; null until then. */
  @MicrosColumn({ nullable: true })
  finished_at: Micros | null;

  @LockVersionColumn()
  lock_version: number;
}
