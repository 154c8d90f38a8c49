import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { FlagColumn, IdColumn, IntegerColumn, MediumTextColumn, MicrosColumn } from '../database/columns';
import { Experiment } from './experiment.entity';

/** A period in which the same variations of an experiment were live with the same shares. */
@Entity('experiment_phases')
@Index('uq_experiment_phases_number', ['experiment_id', 'number'], { unique: true })
export class ExperimentPhase {
  @IdColumn()
  id: number;

  @IntegerColumn()
  experiment_id: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_phases_experiment' })
  experiment?: Relation<Experiment>;

  /** Counted from 1 in each experiment. */
  @IntegerColumn()
  number: number;

  @MicrosColumn()
  began_at: Micros;

  /** JSON: the published shares in basis points, by the ids of the variations that have one. */
  @MediumTextColumn()
  shares: string;

  /** Whether traffic was below 100 % (and above 0) at any time in it. */
  @FlagColumn({ default: false })
  has_partial_traffic: boolean;
}
