import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { PathItem } from '../platform/access/scope';
import type { ListQuery } from '../common/lists/list-query';
import { nameKey } from '../common/text/names';
import { lineOf } from '../database/columns';
import { allOf, type Condition } from '../database/dialect';
import { Database } from '../database/database';
import { listRows } from '../database/named-rows';
import { placeholders, RowStore } from '../database/row-store';
import { notBeingPurged } from '../projects/project.store';
import { Experiment } from './experiment.entity';

type Column = keyof Experiment;

/** The filter of an experiment list; null for all. */
export interface ExperimentFilter {
  statuses: readonly string[] | null;
  /** Selects experiments with any of these tags. */
  tags: readonly string[] | null;
}

const LIVE = 'project_id = ? AND deleted_at IS NULL';

@Injectable()
export class ExperimentStore extends RowStore<Experiment> {
  constructor(database: Database) {
    super(database, Experiment);
  }

  /** A project's experiments, except deleted ones. */
  listOfProject<K extends Column>(
    manager: EntityManager,
    projectId: number,
    columns: readonly K[],
    { statuses, tags }: ExperimentFilter,
    query: ListQuery,
  ): Promise<{ rows: Pick<Experiment, K>[]; total: number }> {
    const conditions = [
      { sql: LIVE, parameters: [projectId] },
      ...(statuses === null ? [] : [hasStatus(statuses)]),
      ...(tags === null ? [] : [hasTag(tags)]),
    ];
    return listRows<Experiment, K>(manager, this, columns, allOf(conditions), query);
  }

  /** An experiment, deleted or not. */
  async columnsOf<K extends Column>(
    manager: EntityManager,
    id: number,
    columns: readonly K[],
  ): Promise<Pick<Experiment, K> | null> {
    const [row = null] = await this.select(manager, columns, 'id = ?', [id]);
    return row;
  }

  /** The oldest experiment of a project with exactly this name; null if there is none. */
  async findByName(manager: EntityManager, projectId: number, name: string): Promise<Experiment | null> {
    const where = `${LIVE} AND name_key = ?`;
    const [row = null] = await this.find(
      manager,
      where,
      [projectId, nameKey(name)],
      'ORDER BY created_at, id LIMIT 1',
    );
    return row;
  }

  /** An experiment that is not deleted. */
  async findLive(manager: EntityManager, id: number): Promise<Experiment | null> {
    const [row = null] = await this.find(manager, 'id = ? AND deleted_at IS NULL', [id]);
    return row;
  }

  /** An experiment in a project's trash: deleted, but not being purged. */
  async findDeleted(manager: EntityManager, projectId: number, id: number): Promise<Experiment | null> {
    const unpurged = notBeingPurged('experiments.project_id', 'experiments.id');
    const where = `id = ? AND project_id = ? AND deleted_at IS NOT NULL AND ${unpurged}`;
    const [row = null] = await this.find(manager, where, [id, projectId]);
    return row;
  }

  /** An experiment that is not deleted, in a project that is not deleted. */
  async findReachable(manager: EntityManager, id: number): Promise<Experiment | null> {
    const [row = null] = await this.find(
      manager,
      'id = ? AND deleted_at IS NULL AND project_id IN (SELECT id FROM projects WHERE deleted_at IS NULL)',
      [id],
    );
    return row;
  }

  /** All of a project's experiments, except deleted ones. */
  ofProject(manager: EntityManager, projectId: number): Promise<Experiment[]> {
    return this.find(manager, LIVE, [projectId]);
  }

  /** The names of a project's experiments, except deleted ones. */
  async names(manager: EntityManager, projectId: number): Promise<Set<string>> {
    const rows = await this.select(manager, ['name'], LIVE, [projectId]);
    return new Set(rows.map(({ name }) => name));
  }
}

const hasStatus = (statuses: readonly string[]): Condition => ({
  sql: `status IN (${placeholders(statuses.length)})`,
  parameters: [...statuses],
});

const hasTag = (tags: readonly string[]): Condition => ({
  sql: `(${tags.map(() => 'INSTR(tags, ?) > 0').join(' OR ')})`,
  parameters: tags.map(lineOf),
});

/** An experiment in a path, with its status for permission checks. */
export const experimentPath: PathItem = {
  param: 'experiment',
  table: 'experiments',
  parentColumn: 'project_id',
  columns: ['status'],
  isKeptInTrash: true,
};
