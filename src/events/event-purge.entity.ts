import { Entity } from 'typeorm';
import { IdColumn, IntegerColumn } from '../database/columns';

/** Events that remain to be removed, because their project or experiment was. */
@Entity('event_purges')
export class PendingPurge {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  /** Null when the whole project is gone. */
  @IntegerColumn({ nullable: true })
  experiment_id: number | null;
}
