import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../platform/access/actor';
import type { ListQuery } from '../common/lists/list-query';
import { allOf, type Condition } from '../database/conditions';
import { Database, Tx } from '../database/database';
import { listRows } from '../database/named-rows';
import { placeholders, RowStore } from '../database/row-store';
import { Team } from './team.entity';

@Injectable()
export class TeamStore extends RowStore<Team> {
  constructor(database: Database) {
    super(database, Team);
  }

  all(manager: EntityManager): Promise<Team[]> {
    return this.find(manager, '1 = 1', []);
  }

  /** The teams that a user is a member of; for a token that is limited to projects, only the teams of these. */
  listOfUser(
    manager: EntityManager,
    { userId, projectIds }: Pick<Actor, 'userId' | 'projectIds'>,
    query: ListQuery,
  ): Promise<{ rows: Team[]; total: number }> {
    const mine = { sql: 'id IN (SELECT team_id FROM memberships WHERE user_id = ?)', parameters: [userId] };
    const visible = projectIds === undefined ? mine : allOf([mine, withProjects(projectIds)]);
    return listRows<Team, keyof Team>(manager, this, this.columnNames, visible, query);
  }

  /** Increments the version of a user's team list. */
  async countUpTeamsOf(tx: Tx, userId: number): Promise<void> {
    await tx.query('UPDATE users SET teams_version = teams_version + 1 WHERE id = ?', [userId]);
  }
}

const withProjects = (ids: readonly number[]): Condition => ({
  sql: `id IN (SELECT team_id FROM projects WHERE id IN (${placeholders(ids.length)}) AND deleted_at IS NULL)`,
  parameters: [...ids],
});

/** Increments the version of a team's project list. */
export async function countUpProjects(tx: Tx, teamId: number): Promise<void> {
  await tx.query('UPDATE teams SET projects_version = projects_version + 1 WHERE id = ?', [teamId]);
}
