import { Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Day } from '../common/time/days';
import { ExactSumColumn, IntegerColumn } from '../database/columns';
import { ExperimentResult } from './experiment-result.entity';

/** In place of a goal's id: who entered the experiment, and who was later seen in another variation. */
export const ENTERED = 0;
export const CROSSED = -1;

/** What the participants of one variation, entry day and device did for one goal on one day. */
@Entity('result_cells', { withoutRowid: true })
export class ResultCell {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @ManyToOne(() => ExperimentResult, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_result_cells_experiment_result' })
  result?: Relation<ExperimentResult>;

  /** Only the cells of the generation that `experiment_results` names are shown. */
  @PrimaryColumn({ type: 'integer' })
  generation: number;

  /** A goal's id, `ENTERED` or `CROSSED`. */
  @PrimaryColumn({ type: 'integer' })
  goal_id: number;

  @PrimaryColumn({ type: 'integer' })
  variation_id: number;

  /** Of the first exposure; place in `DEVICE_TYPES`. */
  @PrimaryColumn({ type: 'integer' })
  device: number;

  /** The day of the first exposure. */
  @PrimaryColumn({ type: 'integer' })
  entry_day: Day;

  /** The day on which this happened. */
  @PrimaryColumn({ type: 'integer' })
  event_day: Day;

  /** Visitors that entered (`ENTERED`) or crossed over (`CROSSED`) on the day. */
  @IntegerColumn()
  participants: number;

  /** Participants whose first conversion fell on the day. */
  @IntegerColumn()
  converters: number;

  /** Conversion events. */
  @IntegerColumn()
  conversions: number;

  /** Sum of values, in 1/10,000. */
  @ExactSumColumn()
  value: bigint;

  /** By how much the squares of the participants' total values grew on the day, in (1/10,000)². */
  @ExactSumColumn()
  value_squared: bigint;
}
