import { Entity } from 'typeorm';
import { IdColumn, IntegerColumn } from '../database/columns';

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
}
