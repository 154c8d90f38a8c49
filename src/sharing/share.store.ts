import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import { Database } from '../database/database';

/** A shared experiment, with the versions of the data on its page. */
export interface SharedRow {
  id: number;
  shared: number | boolean;
  share_token: string;
  status: string;
  /** Null unless the experiment is archived. */
  archived_at: Micros | null;
  /** Time of the last event; null if there is none. */
  last_event_at: Micros | null;
  definitions: number;
  settings: number;
  results: number;
}

/** Finds experiments that are not deleted, in projects that are not deleted. */
@Injectable()
export class ShareStore {
  constructor(private readonly database: Database) {}

  /** The caller must compare the token again, because the database may compare case-insensitively. */
  findByToken(token: string): Promise<SharedRow | null> {
    return this.find('e.share_token = ?', token);
  }

  findByExperiment(experimentId: number): Promise<SharedRow | null> {
    return this.find('e.id = ?', experimentId);
  }

  /**
   * The total runtime of an experiment in microseconds, at least 0.
   * @param now the time until which a current run counts, in whole seconds. Because of the rounding, the run can begin
   * after this time
   */
  async runningTime(experimentId: number, now: Micros): Promise<number> {
    const [{ micros }]: { micros: number | string | null }[] = await this.database.read.query(
      `SELECT SUM(COALESCE(ended_at, ?) - started_at) AS micros FROM experiment_runs
        WHERE experiment_id = ? AND started_at <= ?`,
      [now, experimentId, now],
    );
    return Number(micros ?? 0);
  }

  private async find(condition: string, parameter: string | number): Promise<SharedRow | null> {
    type Stored = number | string | null;
    type Row = Omit<SharedRow, 'last_event_at' | 'archived_at'> &
      Record<'last_event_at' | 'archived_at', Stored>;
    const [row]: Row[] = await this.database.read.query(
      `SELECT e.id, e.shared, e.share_token, e.status, e.archived_at, r.last_event_at,
              e.version AS definitions, p.version AS settings, COALESCE(r.version, 0) AS results
         FROM experiments e
         JOIN projects p ON p.id = e.project_id
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE ${condition} AND e.deleted_at IS NULL AND p.deleted_at IS NULL`,
      [parameter],
    );
    return row === undefined
      ? null
      : {
          ...row,
          last_event_at: numberOrNull(row.last_event_at),
          archived_at: numberOrNull(row.archived_at),
        };
  }
}
