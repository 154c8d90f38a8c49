import { Entity } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { IdColumn, IntegerColumn, LockVersionColumn, MicrosColumn, TextColumn } from '../database/columns';

@Entity('teams')
export class Team {
  @IdColumn()
  id: number;

  @TextColumn(255)
  name: string;

  @TextColumn(765)
  name_search: string;

  /** Version of the team's project list, incremented with each change. */
  @IntegerColumn()
  projects_version: number;

  /** Version of the team's member list, incremented with each change. */
  @IntegerColumn({ default: 1 })
  members_version: number;

  @MicrosColumn()
  created_at: Micros;

  @MicrosColumn()
  updated_at: Micros;

  @LockVersionColumn()
  lock_version: number;
}
