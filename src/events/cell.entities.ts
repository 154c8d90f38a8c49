import { Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Day } from '../common/time/clock';
import { ExactSumColumn, IntegerColumn, PhaseColumn } from '../database/columns';
import { ExperimentResult } from './experiment-result.entity';

/** The common columns of both cell tables. The figures of an entry cell are sums over all event days. */
abstract class CellColumns {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  /** Only cells of the current generation in `experiment_results` are shown. */
  @PrimaryColumn({ type: 'integer' })
  generation: number;

  /** A goal's id, `ENTERED` or `CROSSED`. */
  @PrimaryColumn({ type: 'integer' })
  goal_id: number;

  @PrimaryColumn({ type: 'integer' })
  variation_id: number;

  /** Phase of the first exposure. */
  @PhaseColumn()
  phase: number;

  /** Device of the first exposure, as an index into `DEVICE_TYPES`. */
  @PrimaryColumn({ type: 'integer' })
  device: number;

  /** The day of the first exposure. */
  @PrimaryColumn({ type: 'integer' })
  entry_day: Day;

  /** Visitors who entered (`ENTERED`) or crossed over (`CROSSED`) on the event day. */
  @IntegerColumn()
  participants: number;

  /** Participants whose first conversion was on the event day. */
  @IntegerColumn()
  converters: number;

  /** Number of conversions. */
  @IntegerColumn()
  conversions: number;

  /** Sum of values, in units of 1/10,000, including amounts above the goal's cap. */
  @ExactSumColumn()
  value: bigint;

  /**
   * The part of the total value that exceeds the cap, in units of 1/10,000: its increase on the event day, summed over
   * participants.
   */
  @ExactSumColumn({ default: '0' })
  value_excess: bigint;

  /** Squared capped total value, in units of (1/10,000)²: its increase on the event day, summed over participants. */
  @ExactSumColumn()
  value_squared: bigint;

  /** Squared number of conversions: its increase on the event day, summed over participants. */
  @ExactSumColumn({ default: '0' })
  conversions_squared: bigint;

  /**
   * Capped total value times number of conversions, in units of 1/10,000: its increase on the event day, summed over
   * participants.
   */
  @ExactSumColumn({ default: '0' })
  value_by_conversions: bigint;
}

/** Special goal ids: visitors who entered the experiment, and visitors who were later seen in a different variation. */
export const ENTERED = 0;
export const CROSSED = -1;

/** Counts for one variation, phase, entry day, device, goal and event day. */
@Entity('result_cells', { withoutRowid: true })
export class ResultCell extends CellColumns {
  @ManyToOne(() => ExperimentResult, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_result_cells_experiment_result' })
  result?: Relation<ExperimentResult>;

  /** The day of the counted events. */
  @PrimaryColumn({ type: 'integer' })
  event_day: Day;
}

/**
 * Result cells summed over event days, updated in the same transaction as the result cells. Queries for totals up to
 * now read these sums instead of the daily cells.
 */
@Entity('entry_cells', { withoutRowid: true })
export class EntryCell extends CellColumns {
  @ManyToOne(() => ExperimentResult, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_entry_cells_experiment_result' })
  result?: Relation<ExperimentResult>;
}
