import { Injectable } from '@nestjs/common';
import { chunksOf } from '../common/lists/collections';
import { Database } from '../database/database';
import { placeholders } from '../database/row-store';

/** An experiment's name and project. */
export interface ExperimentName {
  id: number;
  project_id: number;
  name: string;
}

/** Experiments per statement, because SQLite limits the number of parameters. */
const CHUNK = 10_000;

/** Reads the names of experiments for commands. */
@Injectable()
export class ExperimentNameStore {
  constructor(private readonly database: Database) {}

  /** An experiment by id; null if there is none, or if the experiment or its project is in the trash. */
  async live(id: number): Promise<ExperimentName | null> {
    const [experiment]: ExperimentName[] = await this.database.read.query(
      `SELECT e.id, e.project_id, e.name FROM experiments e JOIN projects p ON p.id = e.project_id
        WHERE e.id = ? AND e.deleted_at IS NULL AND p.deleted_at IS NULL`,
      [id],
    );
    return experiment ?? null;
  }

  /** The experiments with these ids, in id order. */
  async of(ids: readonly number[]): Promise<ExperimentName[]> {
    const found: ExperimentName[] = [];
    for (const chunk of chunksOf(ids, CHUNK)) {
      const rows: ExperimentName[] = await this.database.read.query(
        `SELECT id, project_id, name FROM experiments WHERE id IN (${placeholders(chunk.length)})`,
        chunk,
      );
      found.push(...rows);
    }
    return found.sort((a, b) => a.id - b.id);
  }
}
