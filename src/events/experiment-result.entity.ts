import { Column, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IntegerColumn, LockVersionColumn, MediumTextColumn, MicrosColumn } from '../database/columns';
import { Experiment } from '../experiments/experiment.entity';

/** The cell generation of new results. */
export const FIRST_GENERATION = 1;

/** The state of an experiment's results. Created with the experiment's first exposure. */
@Entity('experiment_results')
export class ExperimentResult {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @OneToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_results_experiment' })
  experiment?: Relation<Experiment>;

  /** Incremented whenever the visible results change. */
  @IntegerColumn()
  version: number;

  /** The current generation of cells. */
  @IntegerColumn()
  generation: number;

  /** Incremented whenever the counting rules change, for example when a run starts or the experiment is archived. */
  @IntegerColumn({ default: 0 })
  rules_version: number;

  /** The version of the rules under which the current cells were counted. */
  @IntegerColumn({ default: 0 })
  attribution_version: number;

  /**
   * The rules under which the current cells were counted, as JSON. Null = count everything after the first exposure, as
   * the first release did.
   */
  @MediumTextColumn({ nullable: true })
  rules: string | null;

  /**
   * Incremented when the results have to be counted again although no other counting rule has changed. `rules` contains
   * the number under which the current cells were counted.
   */
  @IntegerColumn({ default: 0 })
  recounts: number;

  /** Time of the earliest attributed exposure, even if it does not count. */
  @MicrosColumn({ nullable: true })
  seen_from: Micros | null;

  /** Time of the latest attributed event of an exposed visitor, even if it does not count. */
  @MicrosColumn({ nullable: true })
  seen_until: Micros | null;

  /** Time of the earliest counted exposure. */
  @MicrosColumn({ nullable: true })
  first_event_at: Micros | null;

  /** Time of the latest counted exposure or conversion. */
  @MicrosColumn({ nullable: true })
  last_event_at: Micros | null;

  /**
   * The generation that a rebuild is filling. If `rebuilt_to` is null, the rebuild was cancelled. Null if there has been
   * no rebuild since the current generation was counted.
   */
  @IntegerColumn({ nullable: true })
  rebuild_generation: number | null;

  /** The version of the rules that the rebuild applies. */
  @IntegerColumn({ nullable: true })
  rebuild_version: number | null;

  @MediumTextColumn({ nullable: true })
  rebuild_rules: string | null;

  /** The last visitor, in id order, that the rebuild has counted; null if there is no rebuild. */
  @Column({ type: 'varchar', length: 65, nullable: true })
  rebuilt_to: string | null;

  @MicrosColumn({ nullable: true })
  rebuild_first_event_at: Micros | null;

  @MicrosColumn({ nullable: true })
  rebuild_last_event_at: Micros | null;

  /** When a final result was last changed manually, for example by an exclusion. */
  @MicrosColumn({ nullable: true })
  revised_at: Micros | null;

  /** Events before this time were removed, so the cells cannot be counted again; null if no events were removed. */
  @MicrosColumn({ nullable: true })
  events_removed_until: Micros | null;

  @LockVersionColumn()
  lock_version: number;
}
