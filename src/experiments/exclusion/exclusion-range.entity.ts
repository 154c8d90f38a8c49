import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import type { Relation } from 'typeorm';
import { IdColumn, IntegerColumn } from '../../database/columns';
import { ExclusionGroup } from '../../resources/exclusion-groups/exclusion-group.entity';
import { Experiment } from '../experiment.entity';

/** Buckets of an exclusion group that an experiment has, from its start until it is archived or deleted. */
@Entity('exclusion_ranges')
@Index('uq_exclusion_ranges_first', ['exclusion_group_id', 'first_bucket'], { unique: true })
@Index('ix_exclusion_ranges_experiment', ['experiment_id'])
export class ExclusionRange {
  @IdColumn()
  id: number;

  @IntegerColumn()
  exclusion_group_id: number;

  @ManyToOne(() => ExclusionGroup, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'exclusion_group_id', foreignKeyConstraintName: 'fk_exclusion_ranges_group' })
  group?: Relation<ExclusionGroup>;

  @IntegerColumn()
  experiment_id: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_exclusion_ranges_experiment' })
  experiment?: Relation<Experiment>;

  @IntegerColumn()
  first_bucket: number;

  /** The bucket after the last one. */
  @IntegerColumn()
  end_bucket: number;
}
