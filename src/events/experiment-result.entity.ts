import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IntegerColumn, MicrosColumn } from '../database/columns';
import { Experiment } from '../experiments/experiment.entity';

/** The state of an experiment's results; there from its first exposure on. */
@Entity('experiment_results')
export class ExperimentResult {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @OneToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_results_experiment' })
  experiment?: Relation<Experiment>;

  /** Counts the changes of what the results show. */
  @IntegerColumn()
  version: number;

  /** The generation of cells that is shown. */
  @IntegerColumn()
  generation: number;

  /** The earliest counted exposure. */
  @MicrosColumn({ nullable: true })
  first_event_at: Micros | null;

  /** The latest exposure or conversion of a participant. */
  @MicrosColumn({ nullable: true })
  last_event_at: Micros | null;

  /** The generation that a rebuild is filling; null without one. */
  @IntegerColumn({ nullable: true })
  rebuild_generation: number | null;

  /** The last visitor that the rebuild has counted, in the order of ids. */
  @Column({ type: 'varchar', length: 65, nullable: true })
  rebuilt_to: string | null;

  @MicrosColumn({ nullable: true })
  rebuild_first_event_at: Micros | null;

  @MicrosColumn({ nullable: true })
  rebuild_last_event_at: Micros | null;
}
