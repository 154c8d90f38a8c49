import { Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, LockVersionColumn, MicrosColumn, TextColumn } from '../database/columns';
import type { Role } from '../platform/access/roles';
import { User } from '../users/user.entities';

@Entity('teams')
export class Team {
  @IdColumn()
  id: number;

  @TextColumn(255)
  name: string;

  @TextColumn(765)
  name_search: string;

  /** Version of the team's project list, incremented whenever the list changes. */
  @IntegerColumn()
  projects_version: number;

  /** Version of the team's member list, incremented whenever the list changes. */
  @IntegerColumn({ default: 1 })
  members_version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}

@Entity('memberships')
@Index('uq_memberships_user_team', ['user_id', 'team_id'], { unique: true })
@Index('ix_memberships_team', ['team_id'])
export class Membership {
  @IdColumn()
  id: number;

  @IntegerColumn()
  team_id: number;

  @ManyToOne(() => Team, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'team_id', foreignKeyConstraintName: 'fk_memberships_team' })
  team?: Relation<Team>;

  @IntegerColumn()
  user_id: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE', onUpdate: 'NO ACTION' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_memberships_user' })
  user?: Relation<User>;

  @TextColumn(16)
  role: Role;

  /**
   * The version that the member list had after the last change to this membership. A new membership therefore never
   * gets an earlier version.
   */
  @IntegerColumn({ default: 1 })
  version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;
}
