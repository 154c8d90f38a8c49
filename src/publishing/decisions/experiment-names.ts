import { Injectable } from '@nestjs/common';
import { API_NAME } from '../../common/text/names';
import { Database } from '../../database/database';
import { placeholders } from '../../database/row-store';

/** An experiment that may be live or not. */
export interface KnownExperiment {
  id: number;
  api_name: string;
  /** Did it ever run? What never did is nobody's business but its team's. */
  isStarted: boolean;
}

interface Row {
  id: number;
  api_name: string;
  started_at: string | number | null;
}

const SELECT = `SELECT id, api_name, started_at FROM experiments WHERE project_id = ? AND deleted_at IS NULL`;

/** Knows the experiments of projects that are not live, which no publication has. */
@Injectable()
export class ExperimentNames {
  constructor(private readonly database: Database) {}

  /** Those of the ids that are the project's. */
  async withIds(projectId: number, ids: readonly number[]): Promise<Map<number, KnownExperiment>> {
    const found =
      ids.length === 0
        ? []
        : await this.find(`${SELECT} AND id IN (${placeholders(ids.length)})`, [projectId, ...ids]);
    return new Map(found.map((each) => [each.id, each]));
  }

  async named(projectId: number, apiName: string): Promise<KnownExperiment | null> {
    const [found] = API_NAME.test(apiName)
      ? await this.find(`${SELECT} AND api_name = ?`, [projectId, apiName])
      : [];
    return found ?? null;
  }

  /** Those that ran and are not archived, in the order of their ids. */
  started(projectId: number): Promise<KnownExperiment[]> {
    return this.find(`${SELECT} AND started_at IS NOT NULL AND archived_at IS NULL ORDER BY id`, [projectId]);
  }

  private async find(sql: string, parameters: (string | number)[]): Promise<KnownExperiment[]> {
    const rows: Row[] = await this.database.read.query(sql, parameters);
    return rows.map(({ id, api_name, started_at }) => ({ id, api_name, isStarted: started_at !== null }));
  }
}
