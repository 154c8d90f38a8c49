import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import { Database } from '../../database/database';

export interface RunningExperiment {
  id: number;
  name: string;
}

/** The information about a project's installation that is in the database. */
@Injectable()
export class InstallationStore {
  constructor(private readonly database: Database) {}

  /** The time of the last event in any experiment's results; null if there is none. */
  async lastCountedAt(projectId: number): Promise<Micros | null> {
    const [row]: { last: number | string | null }[] = await this.database.read.query(
      `SELECT MAX(r.last_event_at) AS last
         FROM experiments e JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.project_id = ? AND e.deleted_at IS NULL`,
      [projectId],
    );
    return numberOrNull(row?.last);
  }

  /** The running experiments that started most recently. */
  running(projectId: number, limit: number): Promise<RunningExperiment[]> {
    return this.database.read.query(
      `SELECT id, name FROM experiments
        WHERE project_id = ? AND status = 'running' AND deleted_at IS NULL
        ORDER BY started_at DESC, id DESC LIMIT ${limit}`,
      [projectId],
    );
  }
}
