import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { FlagColumn, IntegerColumn, MicrosColumn } from '../database/columns';

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

  /** Is it included in the results? */
  @FlagColumn()
  attributed: boolean;
}
