import { Injectable } from '@nestjs/common';
import type { Role } from '../platform/access/roles';
import { groupBy } from '../common/lists/collections';
import { Database } from '../database/database';
import type { ExperimentStatus } from '../experiments/experiment-status';

const MOST_RUNNING = 5;

interface NamedItem {
  id: number;
  name: string;
}

/** A team with its projects, for one of its members. */
export interface HomeTeam extends NamedItem {
  role: Role;
  projects: HomeProject[];
}

export interface HomeProject extends NamedItem {
  /** The number of experiments by status. */
  counts: ReadonlyMap<ExperimentStatus, number>;
  /** Some running experiments, newest first. */
  running: NamedItem[];
}

/** SQL for the experiments that are not deleted, in all projects that a user may see. */
const VISIBLE_EXPERIMENTS = `memberships m
  JOIN projects p ON p.team_id = m.team_id AND p.deleted_at IS NULL
  JOIN experiments e ON e.project_id = p.id AND e.deleted_at IS NULL
 WHERE m.user_id = ?`;

/** Reads a user's teams and projects with a constant number of statements. */
@Injectable()
export class HomeStore {
  constructor(private readonly database: Database) {}

  async read(userId: number): Promise<HomeTeam[]> {
    const [teams, projects, counts, running] = await Promise.all([
      this.teams(userId),
      this.projects(userId),
      this.counts(userId),
      this.running(userId),
    ]);
    return teams.map((team) => ({
      ...team,
      projects: (projects.get(team.id) ?? []).map(({ id, name }) => ({
        id,
        name,
        counts: new Map((counts.get(id) ?? []).map(({ status, count }) => [status, Number(count)])),
        running: (running.get(id) ?? []).map((experiment) => ({ id: experiment.id, name: experiment.name })),
      })),
    }));
  }

  private teams(userId: number): Promise<Omit<HomeTeam, 'projects'>[]> {
    return this.database.read.query(
      `SELECT t.id, t.name, m.role FROM memberships m JOIN teams t ON t.id = m.team_id
        WHERE m.user_id = ? ORDER BY t.name_search, t.id`,
      [userId],
    );
  }

  private async projects(userId: number): Promise<Map<number, (NamedItem & { team_id: number })[]>> {
    const rows: (NamedItem & { team_id: number })[] = await this.database.read.query(
      `SELECT p.id, p.team_id, p.name FROM memberships m JOIN projects p ON p.team_id = m.team_id
        WHERE m.user_id = ? AND p.deleted_at IS NULL ORDER BY p.name_search, p.id`,
      [userId],
    );
    return groupBy(rows, (row) => row.team_id);
  }

  private async counts(
    userId: number,
  ): Promise<Map<number, { status: ExperimentStatus; count: number | string }[]>> {
    const rows: { project_id: number; status: ExperimentStatus; count: number | string }[] =
      await this.database.read.query(
        `SELECT e.project_id, e.status, COUNT(*) AS count FROM ${VISIBLE_EXPERIMENTS}
          GROUP BY e.project_id, e.status`,
        [userId],
      );
    return groupBy(rows, (row) => row.project_id);
  }

  private async running(userId: number): Promise<Map<number, (NamedItem & { project_id: number })[]>> {
    const rows: (NamedItem & { project_id: number })[] = await this.database.read.query(
      `SELECT id, project_id, name FROM (
         SELECT e.id, e.project_id, e.name,
                ROW_NUMBER() OVER (PARTITION BY e.project_id ORDER BY e.created_at DESC, e.id DESC) AS place
           FROM ${VISIBLE_EXPERIMENTS} AND e.status = 'running') ranked
        WHERE place <= ${MOST_RUNNING} ORDER BY place`,
      [userId],
    );
    return groupBy(rows, (row) => row.project_id);
  }
}
