import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { FlagColumn, IdColumn, IntegerColumn } from '../database/columns';
import { Audience } from '../resources/audiences/audience.entity';
import { Environment } from '../resources/environments/environment.entity';
import { ExclusionGroup } from '../resources/exclusion-groups/exclusion-group.entity';
import { Goal } from '../resources/goals/goal.entity';
import { Page } from '../resources/pages/page.entity';
import { Experiment } from './experiment.entity';

/* Attachments to experiments, in order. */

@Entity('experiment_audiences')
@Index('ix_experiment_audiences_audience', ['audience_id'])
export class ExperimentAudience {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @PrimaryColumn({ type: 'integer' })
  audience_id: number;

  @IntegerColumn()
  position: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_audiences_experiment' })
  experiment?: Relation<Experiment>;

  @ManyToOne(() => Audience, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'audience_id', foreignKeyConstraintName: 'fk_experiment_audiences_audience' })
  audience?: Relation<Audience>;
}

@Entity('experiment_pages')
@Index('ix_experiment_pages_page', ['page_id'])
export class ExperimentPage {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @PrimaryColumn({ type: 'integer' })
  page_id: number;

  @IntegerColumn()
  position: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_pages_experiment' })
  experiment?: Relation<Experiment>;

  @ManyToOne(() => Page, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'page_id', foreignKeyConstraintName: 'fk_experiment_pages_page' })
  page?: Relation<Page>;
}

@Entity('experiment_goals')
@Index('ix_experiment_goals_goal', ['goal_id'])
export class ExperimentGoal {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @PrimaryColumn({ type: 'integer' })
  goal_id: number;

  /** Position within the goals, or within the guardrails. */
  @IntegerColumn()
  position: number;

  @FlagColumn({ default: false })
  is_guardrail: boolean;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_goals_experiment' })
  experiment?: Relation<Experiment>;

  @ManyToOne(() => Goal, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'goal_id', foreignKeyConstraintName: 'fk_experiment_goals_goal' })
  goal?: Relation<Goal>;
}

@Entity('experiment_environments')
@Index('ix_experiment_environments_environment', ['environment_id'])
export class ExperimentEnvironment {
  @PrimaryColumn({ type: 'integer' })
  experiment_id: number;

  @PrimaryColumn({ type: 'integer' })
  environment_id: number;

  @IntegerColumn()
  position: number;

  @ManyToOne(() => Experiment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'experiment_id', foreignKeyConstraintName: 'fk_experiment_environments_experiment' })
  experiment?: Relation<Experiment>;

  @ManyToOne(() => Environment, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'environment_id', foreignKeyConstraintName: 'fk_experiment_environments_environment' })
  environment?: Relation<Environment>;
}

/** The buckets in an exclusion group that belong to an experiment from its start until it is archived or deleted. */
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
