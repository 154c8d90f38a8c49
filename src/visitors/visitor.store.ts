import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';

/** An experiment in a visitor's record. */
export interface ExperimentName {
  id: number;
  name: string;
  status: string;
  /** Events before this time were removed; null if no events were removed. */
  events_removed_until: number | string | null;
}

export interface VariationName {
  id: number;
  name: string;
}

/** A goal that is attached to an experiment. */
export interface GoalWindow {
  experiment_id: number;
  goal_id: number;
  conversion_window_days: number | null;
}

/** The exclusion of one of the visitor's ids. */
export interface VisitorExclusionRow {
  exclusion_id: number;
  visitor_id: string;
  experiment_id: number | null;
  created_at: number | string;
}

/** Reads the experiments, goals and exclusions for a visitor's record. */
@Injectable()
export class VisitorStore {
  constructor(private readonly database: Database) {}

  /** The experiments with these ids that are not in the trash. */
  experiments(ids: readonly number[]): Promise<ExperimentName[]> {
    return this.among(
      `SELECT e.id, e.name, e.status, r.events_removed_until
         FROM experiments e LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.deleted_at IS NULL AND e.id IN`,
      ids,
      'ORDER BY e.id',
    );
  }

  variations(ids: readonly number[]): Promise<VariationName[]> {
    return this.among('SELECT id, name FROM variations WHERE id IN', ids);
  }

  goals(ids: readonly number[]): Promise<VariationName[]> {
    return this.among('SELECT id, name FROM goals WHERE id IN', ids);
  }

  /** The goals that are attached to these experiments. */
  windows(experimentIds: readonly number[]): Promise<GoalWindow[]> {
    return this.among(
      `SELECT j.experiment_id, j.goal_id, g.conversion_window_days
         FROM experiment_goals j JOIN goals g ON g.id = j.goal_id WHERE j.experiment_id IN`,
      experimentIds,
    );
  }

  /** The exclusions of the given ids, sorted by exclusion id, then by visitor id. */
  exclusions(projectId: number, visitorIds: readonly string[]): Promise<VisitorExclusionRow[]> {
    return this.database.read.query(
      `SELECT x.exclusion_id, x.visitor_id, x.experiment_id, e.created_at
         FROM excluded_visitors x JOIN visitor_exclusions e ON e.id = x.exclusion_id
        WHERE x.project_id = ? AND x.wanted = 1 AND x.visitor_id IN (${placeholders(visitorIds.length)})
        ORDER BY x.exclusion_id, x.visitor_id`,
      [projectId, ...visitorIds],
    );
  }

  private among<Row>(select: string, ids: readonly number[], tail = ''): Promise<Row[]> {
    return ids.length === 0
      ? Promise.resolve([])
      : this.database.read.query(`${select} (${placeholders(ids.length)}) ${tail}`, [...ids]);
  }
}
