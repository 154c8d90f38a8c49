import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import { Audience } from '../resources/audiences/audience.entity';
import { FlagColumn, IntegerColumn } from '../database/columns';
import { Environment } from '../resources/environments/environment.entity';
import { Goal } from '../resources/goals/goal.entity';
import { Page } from '../resources/pages/page.entity';
import { Experiment } from './experiment.entity';

/* Attachments of experiments, in order. */

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

  /** Within the goals, or within the guardrails. */
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
