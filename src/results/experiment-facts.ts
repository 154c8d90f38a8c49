import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../common/errors/api-errors';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { RowStore } from '../database/row-store';
import { ENTERED } from '../events/result-cell.entity';
import { Experiment } from '../experiments/experiment.entity';
import type { Goal } from '../goals/goal.entity';
import { Project } from '../projects/project.entity';
import { Variation } from '../variations/variation.entity';

const EXPERIMENT = ['id', 'name', 'status', 'share_token'] as const;
const SETTINGS = [
  'significance',
  'min_conversions',
  'min_runtime_days',
  'statistics_method',
  'statistics_correction',
] as const;
const VARIATION = ['id', 'name', 'is_original', 'traffic_allocation'] as const;
const GOAL = ['id', 'type', 'name', 'api_name', 'value_type', 'direction'] as const;

export type AttachedGoal = Pick<Goal, (typeof GOAL)[number]>;

/** A stretch of time in which an experiment was running. */
export interface Run {
  startedAt: Micros;
  /** Null while it lasts. */
  endedAt: Micros | null;
}

/** What an experiment's results are computed from besides its cells. */
export interface ExperimentFacts {
  experiment: Pick<Experiment, (typeof EXPERIMENT)[number]>;
  settings: Pick<Project, (typeof SETTINGS)[number]>;
  /** Ordered by id. */
  variations: Pick<Variation, (typeof VARIATION)[number]>[];
  /** In the order attached. */
  goals: AttachedGoal[];
  /** From the first on. */
  runs: Run[];
  /** Is there any participant? */
  hasResults: boolean;
  firstEventAt: Micros | null;
  lastEventAt: Micros | null;
}

interface StateRow {
  first_event_at: string | number | null;
  last_event_at: string | number | null;
  has_results: string | number;
}

interface RunRow {
  started_at: string | number;
  ended_at: string | number | null;
}

const optional = (value: string | number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/** Reads those facts, by a number of statements that does not depend on how many goals and variations there are. */
@Injectable()
export class ExperimentFactsReader {
  private readonly experiments: RowStore<Experiment>;
  private readonly projects: RowStore<Project>;
  private readonly variations: RowStore<Variation>;

  constructor(private readonly database: Database) {
    this.experiments = new RowStore(database, Experiment);
    this.projects = new RowStore(database, Project);
    this.variations = new RowStore(database, Variation);
  }

  /** @throws NotFoundError when there is no such experiment */
  async read(experimentId: number): Promise<ExperimentFacts> {
    const { read } = this.database;
    const [[experiment], [settings], variations, goals, runs, state] = await Promise.all([
      this.experiments.select(read, EXPERIMENT, 'id = ?', [experimentId]),
      this.projects.select(read, SETTINGS, 'id = (SELECT project_id FROM experiments WHERE id = ?)', [
        experimentId,
      ]),
      this.variations.select(read, VARIATION, 'experiment_id = ?', [experimentId]),
      this.attachedGoals(experimentId),
      this.runs(experimentId),
      this.state(experimentId),
    ]);
    if (experiment === undefined || settings === undefined) {
      throw new NotFoundError();
    }
    return { experiment, settings, variations, goals, runs, ...state };
  }

  private attachedGoals(experimentId: number): Promise<AttachedGoal[]> {
    return this.database.read.query(
      `SELECT ${GOAL.map((column) => `g.${column}`).join(', ')}
         FROM experiment_goals j JOIN goals g ON g.id = j.goal_id
        WHERE j.experiment_id = ? ORDER BY j.position`,
      [experimentId],
    );
  }

  private async runs(experimentId: number): Promise<Run[]> {
    const rows: RunRow[] = await this.database.read.query(
      'SELECT started_at, ended_at FROM experiment_runs WHERE experiment_id = ? ORDER BY started_at, id',
      [experimentId],
    );
    return rows.map((row) => ({ startedAt: Number(row.started_at), endedAt: optional(row.ended_at) }));
  }

  private async state(
    experimentId: number,
  ): Promise<Pick<ExperimentFacts, 'hasResults' | 'firstEventAt' | 'lastEventAt'>> {
    const [row]: StateRow[] = await this.database.read.query(
      `SELECT first_event_at, last_event_at, EXISTS (
                SELECT 1 FROM result_cells c
                 WHERE c.experiment_id = r.experiment_id AND c.generation = r.generation
                   AND c.goal_id = ${ENTERED} AND c.participants > 0) AS has_results
         FROM experiment_results r WHERE experiment_id = ?`,
      [experimentId],
    );
    return {
      hasResults: Number(row?.has_results ?? 0) === 1,
      firstEventAt: optional(row?.first_event_at),
      lastEventAt: optional(row?.last_event_at),
    };
  }
}
