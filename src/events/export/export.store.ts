import { Injectable } from '@nestjs/common';
import { chunksOf } from '../../common/lists/collections';
import { Database } from '../../database/database';
import { placeholders } from '../../database/row-store';
import { EventLog } from '../event-log';
import { LinkedIds } from '../links/linked-ids';
import { linkedIdsOf, linksOf } from '../links/linked-ids.store';

/** Maximum number of ids per statement. Each id can have 50 linked ids, and SQLite limits the number of parameters. */
const CHUNK = 500;

export interface ExcludedId {
  visitor_id: string;
  /** Null = all experiments. */
  experiment_id: number | null;
}

export interface NamedId {
  id: number;
  name: string;
}

/** Reads the records that events refer to, in short statements without locks. */
@Injectable()
export class ExportStore {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /** All links of the visitors who have one of these ids. */
  async linksOf(projectId: number, visitorIds: readonly string[]): Promise<LinkedIds> {
    return new LinkedIds(await linksOf(this.database.read, projectId, visitorIds));
  }

  async exclusionsOf(projectId: number, visitorIds: readonly string[]): Promise<ExcludedId[]> {
    const found: ExcludedId[] = [];
    for (const chunk of chunksOf(visitorIds, CHUNK)) {
      const rows: ExcludedId[] = await this.database.read.query(
        `SELECT DISTINCT visitor_id, experiment_id FROM excluded_visitors
          WHERE project_id = ? AND visitor_id IN (${placeholders(chunk.length)}) AND wanted = 1`,
        [projectId, ...chunk],
      );
      found.push(...rows);
    }
    return found;
  }

  /** The given ids that belong to a visitor who was exposed to the experiment under any id. */
  async exposedAmong(
    projectId: number,
    experimentId: number,
    visitorIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const found: string[] = [];
    for (const chunk of chunksOf(visitorIds, CHUNK)) {
      const links = await linkedIdsOf(this.database.read, projectId, chunk, 'all');
      const rows = await this.log.firstExposures(projectId, experimentId, links.and(chunk));
      const exposed = new Set(rows.map(({ visitor_id }) => links.canonicalIdOf(visitor_id)));
      found.push(...chunk.filter((id) => exposed.has(links.canonicalIdOf(id))));
    }
    return new Set(found);
  }

  /** The experiments of a project, including deleted experiments that can still be restored. */
  experiments(projectId: number): Promise<NamedId[]> {
    return this.database.read.query('SELECT id, name FROM experiments WHERE project_id = ? ORDER BY id', [
      projectId,
    ]);
  }

  variations(projectId: number): Promise<NamedId[]> {
    return this.database.read.query(
      `SELECT v.id, v.name FROM variations v JOIN experiments e ON e.id = v.experiment_id
        WHERE e.project_id = ?`,
      [projectId],
    );
  }

  goals(projectId: number): Promise<NamedId[]> {
    return this.database.read.query('SELECT id, name FROM goals WHERE project_id = ?', [projectId]);
  }
}
