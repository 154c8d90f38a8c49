import { Injectable } from '@nestjs/common';
import type { Role } from '../access/roles';
import { placeholders } from '../database/row-store';
import type { ExperimentStatus } from '../experiments/experiment-status';
import { Database } from '../database/database';
import { PROJECT, TEAM, USERS } from './demo-items';

export interface Named {
  id: number;
  name: string;
}

/** The team and its shop, with the ids of all that is in it; no project when it was deleted. */
export interface Contents {
  team: Named;
  /** Those of the demo's users who are still in the team. */
  users: { id: number; email: string; role: Role }[];
  project: Named | null;
  environments: Named[];
  audiences: Named[];
  pages: Named[];
  goals: Named[];
  experiments: (Named & { status: ExperimentStatus })[];
}

/** Looks at the demo as it is. */
@Injectable()
export class DemoReader {
  constructor(private readonly database: Database) {}

  /** Null when the user is in no team of the demo's name. */
  async read(adminId: number): Promise<Contents | null> {
    const [team] = await this.select<Named>(
      `SELECT t.id, t.name FROM teams t JOIN memberships m ON m.team_id = t.id
        WHERE m.user_id = ? AND t.name = ? ORDER BY t.id`,
      [adminId, TEAM],
    );
    if (team === undefined) {
      return null;
    }
    const [project = null] = await this.select<Named>(
      'SELECT id, name FROM projects WHERE team_id = ? AND name = ? AND deleted_at IS NULL ORDER BY id',
      [team.id, PROJECT],
    );
    return {
      team,
      users: await this.members(team.id),
      project,
      environments: await this.items('environments', project),
      audiences: await this.items('audiences', project),
      pages: await this.items('pages', project),
      goals: await this.items('goals', project),
      experiments: await this.select(
        'SELECT id, name, status FROM experiments WHERE project_id = ? AND deleted_at IS NULL ORDER BY id',
        [project?.id ?? 0],
      ),
    };
  }

  private members(teamId: number): Promise<Contents['users']> {
    const emails = USERS.map(({ email }) => email);
    return this.select(
      `SELECT u.id, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = ? AND u.email IN (${placeholders(emails.length)}) ORDER BY u.id`,
      [teamId, ...emails],
    );
  }

  private items(table: string, project: Named | null): Promise<Named[]> {
    return this.select(`SELECT id, name FROM ${table} WHERE project_id = ? ORDER BY id`, [project?.id ?? 0]);
  }

  private select<T>(sql: string, parameters: (string | number)[]): Promise<T[]> {
    return this.database.read.query(sql, parameters);
  }
}
