import { Injectable } from '@nestjs/common';
import type { Day } from '../../common/time/clock';
import { Database } from '../../database/database';
import { ENTERED } from '../../events/cell.entities';
import type { Run } from '../../events/counting-rules';
import { readRuns } from '../../events/counting-rules.store';
import type { Goal } from '../../resources/goals/goal.entity';

export type BaselineGoal = Pick<Goal, 'id' | 'value_type' | 'counting' | 'conversion_window_days'>;

/** The experiment that provides a baseline. */
export interface BaselineExperiment {
  id: number;
  /** The original; null if there is none. */
  original: number | null;
  /** The first day of the requested period with new participants. */
  firstDay: Day;
}

interface ExperimentRow {
  id: number;
  original: number | null;
  first_day: Day;
}

/** Finds the data for baselines within a project. */
@Injectable()
export class BaselineStore {
  constructor(private readonly database: Database) {}

  /** The goal; null if it is not in the project. */
  async goal(projectId: number, id: number): Promise<BaselineGoal | null> {
    const [row]: BaselineGoal[] = await this.database.read.query(
      'SELECT id, value_type, counting, conversion_window_days FROM goals WHERE project_id = ? AND id = ?',
      [projectId, id],
    );
    return row ?? null;
  }

  /** Whether this experiment is in the project and not deleted. */
  async hasExperiment(projectId: number, id: number): Promise<boolean> {
    const rows: unknown[] = await this.database.read.query(
      'SELECT id FROM experiments WHERE project_id = ? AND id = ? AND deleted_at IS NULL',
      [projectId, id],
    );
    return rows.length > 0;
  }

  /** The runs of an experiment, in chronological order. */
  runs(experimentId: number): Promise<Run[]> {
    return readRuns(this.database.read, experimentId);
  }

  /**
   * The experiment with the most participants who entered on or after the given day; null if there is none. Experiments
   * with the goal come first, because the results also count the goal for participants of any other experiment.
   *
   * @param only the only experiment to consider; null to consider all
   */
  async experiment(
    projectId: number,
    goalId: number,
    from: Day,
    only: number | null,
  ): Promise<BaselineExperiment | null> {
    const [row]: ExperimentRow[] = await this.database.read.query(
      `SELECT e.id, MIN(c.entry_day) AS first_day, SUM(c.participants) AS participants,
              (SELECT MIN(v.id) FROM variations v WHERE v.experiment_id = e.id AND v.is_original = 1) AS original,
              EXISTS (SELECT 1 FROM experiment_goals j WHERE j.experiment_id = e.id AND j.goal_id = ?) AS has_goal
         FROM experiments e
         JOIN experiment_results r ON r.experiment_id = e.id
         JOIN entry_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
        WHERE e.project_id = ? AND e.deleted_at IS NULL ${only === null ? '' : 'AND e.id = ?'}
          AND c.goal_id = ${ENTERED} AND c.entry_day >= ? AND c.participants > 0
        GROUP BY e.id ORDER BY has_goal DESC, participants DESC, e.id DESC LIMIT 1`,
      [goalId, projectId, ...(only === null ? [] : [only]), from],
    );
    return row === undefined ? null : { id: row.id, original: row.original, firstDay: row.first_day };
  }
}
