import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import { Database, Tx } from '../../database/database';
import { lockRows } from '../../database/row-store';
import { Experiment } from '../../experiments/experiment.entity';
import { ExperimentStore } from '../../experiments/experiment.store';
import { notBeingPurged, ProjectStore } from '../project.store';
import { Project } from '../project.entity';

export const TRASH_TYPES = ['project', 'experiment'] as const;

export type TrashType = (typeof TRASH_TYPES)[number];

const inTrash = (unpurged: string): string => `deleted_at IS NOT NULL AND ${unpurged}`;

/** A record whose purge has begun is no longer in the trash. */
const TABLES = {
  project: { table: 'projects', projectId: 'id', deleted: inTrash(notBeingPurged('projects.id', null)) },
  experiment: {
    table: 'experiments',
    projectId: 'project_id',
    deleted: inTrash(notBeingPurged('experiments.project_id', 'experiments.id')),
  },
} as const;

/** A record whose purge is not finished. Its row, with its name, is deleted before its events. */
export interface BeingPurged {
  type: TrashType;
  id: number;
  project_id: number;
  name: string | null;
  deleted_at: Micros | null;
}

/** Reads the rows that are in the trash. */
@Injectable()
export class SoftDeleteStore {
  constructor(
    private readonly database: Database,
    private readonly projectRows: ProjectStore,
    private readonly experimentRows: ExperimentStore,
  ) {}

  projects(): Promise<Project[]> {
    return this.projectRows.find(this.database.read, TABLES.project.deleted, []);
  }

  experiments(): Promise<Experiment[]> {
    return this.experimentRows.find(this.database.read, TABLES.experiment.deleted, []);
  }

  async project(manager: EntityManager, id: number): Promise<Project | null> {
    const [row = null] = await this.projectRows.find(manager, `id = ? AND ${TABLES.project.deleted}`, [id]);
    return row;
  }

  async experiment(manager: EntityManager, id: number): Promise<Experiment | null> {
    const [row = null] = await this.experimentRows.find(manager, `id = ? AND ${TABLES.experiment.deleted}`, [
      id,
    ]);
    return row;
  }

  /**
   * The name of a deleted record, and the id of its project or, for a project, its own id. Null if the record is not in
   * the trash.
   */
  async find(
    manager: EntityManager,
    type: TrashType,
    id: number,
  ): Promise<{ name: string; project_id: number } | null> {
    const { table, projectId, deleted } = TABLES[type];
    const [row]: { name: string; project_id: number }[] = await manager.query(
      `SELECT name, ${projectId} AS project_id FROM ${table} WHERE id = ? AND ${deleted}`,
      [id],
    );
    return row ?? null;
  }

  /** The records whose purge is in progress or was interrupted, oldest purge first. */
  async beingPurged(): Promise<BeingPurged[]> {
    const rows: {
      project_id: number;
      experiment_id: number | null;
      name: string | null;
      deleted_at: string | number | null;
    }[] = await this.database.read.query(
      `SELECT pending.project_id, pending.experiment_id, COALESCE(experiments.name, projects.name) AS name,
                COALESCE(experiments.deleted_at, projects.deleted_at) AS deleted_at
           FROM event_purges pending
           LEFT JOIN experiments ON experiments.id = pending.experiment_id
           LEFT JOIN projects ON projects.id = pending.project_id AND pending.experiment_id IS NULL
          WHERE pending.purged_at IS NULL ORDER BY pending.id`,
    );
    return rows.map(({ project_id, experiment_id, name, deleted_at }) => ({
      type: experiment_id === null ? 'project' : 'experiment',
      id: experiment_id ?? project_id,
      project_id,
      name,
      deleted_at: numberOrNull(deleted_at),
    }));
  }

  /**
   * Waits for concurrent changes to a project. This keeps the project's audit entries in order and prevents a record
   * from being restored and purged at the same time. The project's versions do not change.
   */
  async lockProject(tx: Tx, projectId: number): Promise<void> {
    await lockRows(tx, 'project_versions', 'project_id', [projectId]);
  }

  /** The ids of records that were deleted at or before a given time. */
  async deletedUntil(type: TrashType, until: Micros): Promise<number[]> {
    const rows: { id: number }[] = await this.database.read.query(
      `SELECT id FROM ${TABLES[type].table} WHERE ${TABLES[type].deleted} AND deleted_at <= ? ORDER BY id`,
      [until],
    );
    return rows.map(({ id }) => id);
  }
}
