import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';

/** A running experiment that its guardrails may pause. */
export interface GuardedExperiment {
  id: number;
  projectId: number;
  /** Version of the experiment's definition. */
  version: number;
  /** Changes whenever the UTC day changes, or any data from which the results are computed. */
  state: string;
}

@Injectable()
export class GuardrailStore {
  constructor(private readonly database: Database) {}

  /**
   * The running experiments that have guardrails and results and are set to pause when a guardrail trips.
   * @param day the current UTC day
   */
  async guarded(day: number): Promise<GuardedExperiment[]> {
    type Row = Record<'id' | 'project_id' | 'version' | 'of_project' | 'of_results', number | string>;
    const rows: Row[] = await this.database.read.query(
      `SELECT e.id, e.project_id, e.version, p.version AS of_project, r.version AS of_results
         FROM experiments e
         JOIN projects p ON p.id = e.project_id
         JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.status = 'running' AND e.guardrail_action = 'pause' AND e.deleted_at IS NULL
          AND EXISTS (SELECT 1 FROM experiment_goals j WHERE j.experiment_id = e.id AND j.is_guardrail = 1)
        ORDER BY e.id`,
    );
    return rows.map(({ id, project_id, version, of_project, of_results }) => ({
      id: Number(id),
      projectId: Number(project_id),
      version: Number(version),
      state: [version, of_project, of_results, day].join('.'),
    }));
  }
}
