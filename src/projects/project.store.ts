import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { TeamScope } from '../platform/access/scope';
import type { ListQuery } from '../common/lists/list-query';
import type { Micros } from '../common/time/clock';
import { allOf, type Condition } from '../database/dialect';
import { Database, Tx } from '../database/database';
import { listRows } from '../database/named-rows';
import { placeholders, RowStore } from '../database/row-store';
import { Project } from './project.entity';

@Injectable()
export class ProjectStore extends RowStore<Project> {
  constructor(database: Database) {
    super(database, Project);
  }

  /** A team's projects, except deleted ones; for a limited token, only the projects that the token may access. */
  listOfTeam(
    manager: EntityManager,
    { teamId, actor: { projectIds } }: Pick<TeamScope, 'teamId' | 'actor'>,
    query: ListQuery,
  ): Promise<{ rows: Project[]; total: number }> {
    const inTeam = { sql: 'team_id = ? AND deleted_at IS NULL', parameters: [teamId] };
    const allowed = (ids: readonly number[]): Condition => ({
      sql: `id IN (${placeholders(ids.length)})`,
      parameters: [...ids],
    });
    const visible = projectIds === undefined ? inTeam : allOf([inTeam, allowed(projectIds)]);
    return listRows<Project, keyof Project>(manager, this, this.columnNames, visible, query);
  }

  /** The running experiments of a project, in id order. */
  runningExperiments(manager: EntityManager, id: number): Promise<{ id: number; name: string }[]> {
    return manager.query(
      `SELECT id, name FROM experiments
        WHERE project_id = ? AND status = 'running' AND deleted_at IS NULL ORDER BY id`,
      [id],
    );
  }

  /** The number of projects in a team, not counting deleted ones. */
  countInTeam(manager: EntityManager, teamId: number): Promise<number> {
    return this.count(manager, 'team_id = ? AND deleted_at IS NULL', [teamId]);
  }

  /**
   * Cancels the schedules of a project's experiments, so that no experiment starts or is archived if the project is
   * restored.
   */
  async endSchedules(tx: Tx, id: number): Promise<void> {
    await tx.query(
      `UPDATE experiments SET starts_at = NULL, ends_at = NULL, version = version + 1
        WHERE project_id = ? AND (starts_at IS NOT NULL OR ends_at IS NOT NULL)`,
      [id],
    );
  }

  /** Whether the project exists and is not deleted. */
  async isLive(manager: EntityManager, id: number): Promise<boolean> {
    return (await this.count(manager, 'id = ? AND deleted_at IS NULL', [id])) > 0;
  }
}

/** The initial version and settings rows of a new project. */
export async function insertVersionsAndSettings(tx: Tx, projectId: number, now: Micros): Promise<void> {
  await tx.query('INSERT INTO project_versions (project_id, version) VALUES (?, 1)', [projectId]);
  await tx.query(
    `INSERT INTO project_settings (id, version, allowed_origins, events_per_minute, created_at, updated_at)
     VALUES (?, 1, NULL, NULL, ?, ?)`,
    [projectId, now, now],
  );
}

/** Increments the settings version, because settings include a changed project column. */
export async function countUpSettings(tx: Tx, projectId: number, now: Micros): Promise<void> {
  await tx.query('UPDATE project_settings SET version = version + 1, updated_at = ? WHERE id = ?', [
    now,
    projectId,
  ]);
}

/**
 * SQL condition for projects and experiments that are not being purged. While a project or an experiment is being
 * purged, a row marks it as such until its cells are deleted.
 * @param projectId the column that contains the project id
 * @param experimentId the column that contains the experiment id; null for projects
 */
export const notBeingPurged = (projectId: string, experimentId: string | null): string =>
  `NOT EXISTS (SELECT 1 FROM event_purges pending WHERE pending.project_id = ${projectId} AND (
    pending.experiment_id IS NULL${experimentId === null ? '' : ` OR pending.experiment_id = ${experimentId}`}))`;
