import { Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import type { Relation } from 'typeorm';
import { Goal } from '../resources/goals/goal.entity';

/** A goal with at least one conversion. */
@Entity('collected_goals')
export class CollectedGoal {
  @PrimaryColumn({ type: 'integer' })
  goal_id: number;

  @OneToOne(() => Goal, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'goal_id', foreignKeyConstraintName: 'fk_collected_goals_goal' })
  goal?: Relation<Goal>;
}
