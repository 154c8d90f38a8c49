import { Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Day } from '../common/time/days';
import { CellColumns } from './cell-columns';
import { ExperimentResult } from './experiment-result.entity';

/** Special goal ids: visitors who entered the experiment, and visitors who were later seen in another variation. */
export const ENTERED = 0;
export const CROSSED = -1;

/** Counts for one variation, phase, entry day, device, goal and event day. */
@Entity('result_cells', { withoutRowid: true })
export class ResultCell extends CellColumns {
  @ManyToOne(() => ExperimentResult, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_result_cells_experiment_result' })
  result?: Relation<ExperimentResult>;

  /** The event day. */
  @PrimaryColumn({ type: 'integer' })
  event_day: Day;
}
