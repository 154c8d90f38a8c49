import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { countRows, lockRows } from '../database/row-locks';
import { Experiment } from '../experiments/experiment.entity';
import { ExperimentStore } from '../experiments/experiment.store';
import { Project } from '../projects/project.entity';
import { ProjectStore } from '../projects/project.store';

export const TRASH_TYPES = ['project', 'experiment'] as const;

export type TrashType = (typeof TRASH_TYPES)[number];

const TABLES = {
  project: { table: 'projects', projectId: 'id' },
  experiment: { table: 'experiments', projectId: 'project_id' },
} as const;

const DELETED = 'deleted_at IS NOT NULL';

/** The rows that are in the trash. */
@Injectable()
export class SoftDeleteStore {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectStore,
    private readonly experimentRows: ExperimentStore,
  ) {}

  projects(): Promise<Project[]> {
    return this.projectRows.find(this.database.read, DELETED, []);
  }

  experiments(): Promise<Experiment[]> {
    return this.experimentRows.find(this.database.read, DELETED, []);
  }

  async project(manager: EntityManager, id: number): Promise<Project | null> {
    const [row = null] = await this.projectRows.find(manager, `id = ? AND ${DELETED}`, [id]);
    return row;
  }

  async experiment(manager: EntityManager, id: number): Promise<Experiment | null> {
    const [row = null] = await this.experimentRows.find(manager, `id = ? AND ${DELETED}`, [id]);
    return row;
  }

  /** The name of a deleted record and its project, for a project its own id; null if it is not deleted. */
  async find(tx: Tx, type: TrashType, id: number): Promise<{ name: string; project_id: number } | null> {
    const { table, projectId } = TABLES[type];
    const [row]: { name: string; project_id: number }[] = await tx.query(
      `SELECT name, ${projectId} AS project_id FROM ${table} WHERE id = ? AND ${DELETED}`,
      [id],
    );
    return row ?? null;
  }

  /** Waits for other changes of a project, so that its audit entries keep their order. Its versions stay the same. */
  async lockProject(tx: Tx, projectId: number): Promise<void> {
    await lockRows(tx, 'project_versions', 'project_id', [projectId]);
  }

  /** The ids of records deleted before a time. */
  async deletedUntil(type: TrashType, until: Micros): Promise<number[]> {
    const rows: { id: number }[] = await this.database.read.query(
      `SELECT id FROM ${TABLES[type].table} WHERE ${DELETED} AND deleted_at <= ? ORDER BY id`,
      [until],
    );
    return rows.map(({ id }) => id);
  }

  /** Purges a deleted record. @returns false if it is not in the trash */
  async purge(tx: Tx, type: TrashType, id: number): Promise<boolean> {
    const found = await countRows(tx, `DELETE FROM ${TABLES[type].table} WHERE id = ? AND ${DELETED}`, [id]);
    return found > 0;
  }
}
