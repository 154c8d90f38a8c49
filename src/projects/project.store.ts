import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ListQuery } from '../common/lists/list-query';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { listRows } from '../database/listing';
import { RowStore } from '../database/row-store';
import { Project } from './project.entity';

@Injectable()
export class ProjectStore extends RowStore<Project> {
  constructor(database: Database) {
    super(database, Project);
  }

  /** The projects of a team that are not deleted. */
  listOfTeam(
    manager: EntityManager,
    teamId: number,
    query: ListQuery,
  ): Promise<{ rows: Project[]; total: number }> {
    const inTeam = { sql: 'team_id = ? AND deleted_at IS NULL', parameters: [teamId] };
    return listRows<Project, keyof Project>(manager, this, this.columnNames, inTeam, query);
  }

  /** The running experiments of a project, in the order of their ids. */
  runningExperiments(manager: EntityManager, id: number): Promise<{ id: number; name: string }[]> {
    return manager.query(
      `SELECT id, name FROM experiments
        WHERE project_id = ? AND status = 'running' AND deleted_at IS NULL ORDER BY id`,
      [id],
    );
  }

  /** Is there such a project that is not deleted? */
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

/** A changed project column is visible in the settings. */
export async function countUpSettings(tx: Tx, projectId: number, now: Micros): Promise<void> {
  await tx.query('UPDATE project_settings SET version = version + 1, updated_at = ? WHERE id = ?', [
    now,
    projectId,
  ]);
}
