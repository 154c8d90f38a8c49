import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { FlagColumn, IdColumn, IntegerColumn, MicrosColumn, TextColumn } from '../../database/columns';
import { Experiment } from '../../experiments/experiment.entity';
import { Project } from '../../projects/project.entity';

/** An exclusion of visitors from the results of a project, or of one experiment. */
@Entity('visitor_exclusions')
@Index('ix_visitor_exclusions_project', ['project_id'])
export class VisitorExclusion {
  @IdColumn()
  id: number;

  @IntegerColumn()
  project_id: number;

  @ManyToOne(() => Project, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'project_id', foreignKeyConstraintName: 'fk_visitor_exclusions_project' })
  project?: Relation<Project>;

  /** Null = all experiments of the project. */
  @IntegerColumn({ nullable: true })
  experiment_id: number | null;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_visitor_exclusions_experiment' })
  experiment?: Relation<Experiment> | null;

  /** The criteria given to the admin command, as JSON. For a list of ids, only the number of ids is stored. */
  @Column({ type: 'text' })
  criteria: string;

  /** Used to find an interrupted exclusion when the same criteria are given again. */
  @TextColumn(64)
  criteria_hash: string;

  @IntegerColumn()
  visitors: number;

  @MicrosColumn()
  created_at: Micros;

  /** When all visitors of the exclusion had been excluded; null while the exclusion is in progress or interrupted. */
  @MicrosColumn({ nullable: true })
  finished_at: Micros | null;

  /** When all visitors of the exclusion had been included again. */
  @MicrosColumn({ nullable: true })
  undone_at: Micros | null;
}

/** A visitor id in an exclusion. */
@Entity('excluded_visitors', { withoutRowid: true })
@Index('ix_excluded_visitors_exclusion', ['exclusion_id', 'visitor_id'])
export class ExcludedVisitor {
  @PrimaryColumn({ type: 'integer' })
  project_id: number;

  @PrimaryColumn({ type: 'varchar', length: 65 })
  visitor_id: string;

  @PrimaryColumn({ type: 'integer' })
  exclusion_id: number;

  /** Copied from the exclusion; null = all experiments of the project. */
  @IntegerColumn({ nullable: true })
  experiment_id: number | null;

  /** Requested state: false while the exclusion is being undone. */
  @FlagColumn()
  wanted: boolean;

  /** Current state: whether the cells exclude the visitor. */
  @FlagColumn()
  applied: boolean;
}
