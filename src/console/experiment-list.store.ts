import { Injectable } from '@nestjs/common';
import { allOf, type Condition, foldedContains } from '../database/dialect';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';
import { defaultEnvironment } from '../experiments/attachment.store';
import type { ExperimentStatus } from '../experiments/experiment-status';
import type { PageCondition } from '../resources/pages/page-conditions';

/** Running experiments come first. */
const ORDER = `CASE e.status WHEN 'running' THEN 0 WHEN 'pause' THEN 1 WHEN 'preview' THEN 2 WHEN 'draft' THEN 3 ELSE 4 END`;

export interface FoundExperiment {
  id: number;
  name: string;
  status: ExperimentStatus;
  /** Whether the experiment ever ran or has participants. */
  hasHistory: boolean;
}

/** The experiments of a project whose names contain the search text; all if it is empty. */
export interface ExperimentSearch {
  projectId: number;
  search: string;
}

/** One page of a search result. */
export interface ExperimentSlice {
  /** Null for all statuses. */
  status: ExperimentStatus | null;
  limit: number;
  offset: number;
}

@Injectable()
export class ExperimentListStore {
  constructor(private readonly database: Database) {}

  /** The number of matching experiments by status. */
  async counts(search: ExperimentSearch): Promise<Map<ExperimentStatus, number>> {
    const { sql, parameters } = conditionOf(search);
    const rows: { status: ExperimentStatus; count: number | string }[] = await this.database.read.query(
      `SELECT e.status, COUNT(*) AS count FROM experiments e WHERE ${sql} GROUP BY e.status`,
      parameters,
    );
    return new Map(rows.map(({ status, count }) => [status, Number(count)]));
  }

  /** Running experiments first, then the newest. */
  async slice(
    search: ExperimentSearch,
    { status, limit, offset }: ExperimentSlice,
  ): Promise<FoundExperiment[]> {
    const inStatus = status === null ? [] : [{ sql: 'e.status = ?', parameters: [status] }];
    const { sql, parameters } = allOf([conditionOf(search), ...inStatus]);
    const rows: (Omit<FoundExperiment, 'hasHistory'> & { has_history: number | string })[] =
      await this.database.read.query(
        `SELECT e.id, e.name, e.status,
                CASE WHEN e.started_at IS NULL AND r.experiment_id IS NULL THEN 0 ELSE 1 END AS has_history
           FROM experiments e LEFT JOIN experiment_results r ON r.experiment_id = e.id
          WHERE ${sql} ORDER BY ${ORDER}, e.created_at DESC, e.id DESC LIMIT ${limit} OFFSET ${offset}`,
        parameters,
      );
    return rows.map(({ has_history, ...row }) => ({ ...row, hasHistory: Number(has_history) === 1 }));
  }

  /** The first page or goal in a project that is not excluded; null if there is none. */
  async first(
    table: 'pages' | 'goals',
    projectId: number,
    apart: readonly number[] = [],
  ): Promise<{ id: number; name: string } | null> {
    const others = apart.length === 0 ? '' : `AND id NOT IN (${placeholders(apart.length)})`;
    const [row]: { id: number; name: string }[] = await this.database.read.query(
      `SELECT id, name FROM ${table} WHERE project_id = ? ${others} ORDER BY created_at, id LIMIT 1`,
      [projectId, ...apart],
    );
    return row ?? null;
  }

  /** The conditions of these pages, oldest first. */
  async pageConditions(ids: readonly number[]): Promise<{ name: string; conditions: PageCondition[] }[]> {
    if (ids.length === 0) {
      return [];
    }
    const rows: { name: string; conditions: string }[] = await this.database.read.query(
      `SELECT name, conditions FROM pages WHERE id IN (${placeholders(ids.length)}) ORDER BY id`,
      [...ids],
    );
    return rows.map(({ name, conditions }) => ({
      name,
      conditions: JSON.parse(conditions) as PageCondition[],
    }));
  }

  async defaultEnvironment(projectId: number): Promise<{ id: number; name: string } | null> {
    const [row] = await defaultEnvironment(this.database.read, projectId);
    return row ?? null;
  }
}

/** Matches experiments in any status. */
function conditionOf({ projectId, search }: ExperimentSearch): Condition {
  const all = { sql: 'e.project_id = ? AND e.deleted_at IS NULL', parameters: [projectId] };
  return search === '' ? all : allOf([all, foldedContains('e.name_search', search)]);
}
