import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { IntegerColumn, LockVersionColumn, MediumTextColumn, MicrosColumn } from '../../database/columns';
import { Experiment } from '../../experiments/experiment.entity';

/** The last state of an experiment's results that was reported to webhooks. */
@Entity('told_results')
export class ToldResult {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @OneToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_told_results_experiment' })
  experiment?: Relation<Experiment>;

  /** JSON of `ReportedState`. */
  @MediumTextColumn()
  told: string;

  /** The version of the results at the last check. */
  @IntegerColumn()
  checked_version: number;

  @MicrosColumn()
  checked_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}
