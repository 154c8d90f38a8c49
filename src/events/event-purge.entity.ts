import { Entity } from 'typeorm';
import { IdColumn, IntegerColumn } from '../database/columns';

/** Events to be deleted, because their project or experiment was deleted. */
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
