import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { FlagColumn, IntegerColumn, MicrosColumn } from '../database/columns';

/**
 * Something a visitor did: an exposure has an experiment and a variation, a conversion has a goal. The table is one
 * tree in the order of its key, which removes duplicates and keeps one visitor's events side by side.
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

  @IntegerColumn({ nullable: true })
  goal_id: number | null;

  /** In 1/10,000 of the goal's unit; null for conversions without a value. */
  @Column({ type: 'bigint', nullable: true })
  value: number | null;

  /** Place in `DEVICE_TYPES`. */
  @IntegerColumn()
  device: number;

  /** Is it part of the results? */
  @FlagColumn()
  attributed: boolean;
}
