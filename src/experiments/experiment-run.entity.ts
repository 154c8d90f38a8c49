import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, MicrosColumn } from '../database/columns';
import { Experiment } from './experiment.entity';

/** A period in which an experiment was running. */
@Entity('experiment_runs')
@Index('ix_experiment_runs_experiment', ['experiment_id'])
export class ExperimentRun {
  @IdColumn()
  id: number;

  @IntegerColumn()
  experiment_id: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_runs_experiment' })
  experiment?: Relation<Experiment>;

  @MicrosColumn()
  started_at: Micros;

  /** Null while it runs. */
  @MicrosColumn({ nullable: true })
  ended_at: Micros | null;
}
