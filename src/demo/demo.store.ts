import { Injectable } from '@nestjs/common';
import type { Role } from '../platform/access/roles';
import { Config } from '../config/config';
import { placeholders } from '../database/row-store';
import type { ExperimentStatus } from '../experiments/experiment-status';
import { shownLink } from '../experiments/share-link.record';
import { Database } from '../database/database';
import { RESOURCES } from '../resources/registry';
import { PROJECT, TEAM, USERS } from './demo-items';

export interface Named {
  id: number;
  name: string;
}

/**
 * The team and its shop, with the ids of all records. `project` is null if it was deleted. Standard resources are
 * listed by collection.
 */
export interface Contents {
  team: Named;
  /** The demo's users who are still in the team. */
  users: { id: number; email: string; role: Role }[];
  project: Named | null;
  experiments: DemoExperimentNow[];
}

/** The current state of a demo experiment. */
export interface DemoExperimentNow extends Named {
  status: ExperimentStatus;
  /** The share link of the experiment; null without results. */
  share_url: string | null;
}

interface ExperimentRow extends Named {
  status: ExperimentStatus;
  shared: number | boolean;
  share_token: string;
  result: number | null;
}

/** Reads the demo. */
@Injectable()
export class DemoStore {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /** The demo; null if the user is not in a team with the demo's name. */
  async read(adminId: number): Promise<Contents | null> {
    const [team] = await this.select<Named>(
      `SELECT t.id, t.name FROM teams t JOIN memberships m ON m.team_id = t.id
        WHERE m.user_id = ? AND t.name = ? ORDER BY t.created_at, t.id`,
      [adminId, TEAM],
    );
    if (team === undefined) {
      return null;
    }
    const [project = null] = await this.select<Named>(
      'SELECT id, name FROM projects WHERE team_id = ? AND name = ? AND deleted_at IS NULL ORDER BY created_at, id',
      [team.id, PROJECT],
    );
    return {
      team,
      users: await this.members(team.id),
      project,
      ...(await this.items(project)),
      experiments: await this.readExperiments(project),
    };
  }

  private async readExperiments(project: Named | null): Promise<DemoExperimentNow[]> {
    const rows = await this.select<ExperimentRow>(
      `SELECT e.id, e.name, e.status, e.shared, e.share_token, r.experiment_id AS result FROM experiments e
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.project_id = ? AND e.deleted_at IS NULL ORDER BY e.id`,
      [project?.id ?? 0],
    );
    return rows.map(({ shared, share_token, result, ...experiment }) => ({
      ...experiment,
      share_url:
        result === null
          ? null
          : shownLink(this.config.publicUrl, { shared: Boolean(shared), share_token }).share_url,
    }));
  }

  private members(teamId: number): Promise<Contents['users']> {
    const emails = USERS.map(({ email }) => email);
    return this.select(
      `SELECT u.id, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = ? AND u.email IN (${placeholders(emails.length)}) ORDER BY u.id`,
      [teamId, ...emails],
    );
  }

  private async items(project: Named | null): Promise<Record<string, Named[]>> {
    const items: Record<string, Named[]> = {};
    for (const { collection } of RESOURCES) {
      const sql = `SELECT id, name FROM ${collection} WHERE project_id = ? ORDER BY id`;
      items[collection] = await this.select(sql, [project?.id ?? 0]);
    }
    return items;
  }

  private select<T>(sql: string, parameters: (string | number)[]): Promise<T[]> {
    return this.database.read.query(sql, parameters);
  }
}
