import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ListQuery } from '../common/lists/list-query';
import { Database, Tx } from '../database/database';
import { listRows } from '../database/listing';
import { RowStore } from '../database/row-store';
import { Team } from './team.entity';

@Injectable()
export class TeamStore extends RowStore<Team> {
  constructor(database: Database) {
    super(database, Team);
  }

  all(manager: EntityManager): Promise<Team[]> {
    return this.find(manager, '1 = 1', []);
  }

  /** The teams that a user is a member of. */
  listOfUser(
    manager: EntityManager,
    userId: number,
    query: ListQuery,
  ): Promise<{ rows: Team[]; total: number }> {
    const mine = { sql: 'id IN (SELECT team_id FROM memberships WHERE user_id = ?)', parameters: [userId] };
    return listRows<Team, keyof Team>(manager, this, this.columnNames, mine, query);
  }

  /** The list of teams that a user sees has changed. */
  async countUpTeamsOf(tx: Tx, userId: number): Promise<void> {
    await tx.query('UPDATE users SET teams_version = teams_version + 1 WHERE id = ?', [userId]);
  }
}

/** The list of projects of a team has changed. */
export async function countUpProjects(tx: Tx, teamId: number): Promise<void> {
  await tx.query('UPDATE teams SET projects_version = projects_version + 1 WHERE id = ?', [teamId]);
}
