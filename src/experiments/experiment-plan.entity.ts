import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import { DayColumn, IntegerColumn } from '../database/columns';
import { Experiment } from './experiment.entity';

/** The plan of an experiment, fixed at its first start. Experiments without a plan have no row. */
@Entity('experiment_plans')
export class ExperimentPlanRow {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @OneToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_plans_experiment' })
  experiment?: Relation<Experiment>;

  /** For all variations together. */
  @IntegerColumn()
  participants: number;

  /** The last day. */
  @DayColumn({ nullable: true })
  end_day: string | null;

  /** The day on which the plan was removed; null while it is in force. */
  @DayColumn({ nullable: true })
  removed_day: string | null;

  /* The gates of the project at the first start. */

  @IntegerColumn()
  min_conversions: number;

  @IntegerColumn()
  min_runtime_days: number;
}
