import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { STORED } from '../events/clickhouse/event-batch.entity';

/** SQL expressions of the time since when acknowledged events wait, in the main database and in ClickHouse; or null. */
const since = (projectId: string): [string, string] => [
  `(SELECT MIN(marked_at) FROM dirty_visitors WHERE project_id = ${projectId})`,
  `(SELECT MIN(opened_at) FROM event_batches WHERE state = ${STORED})`,
];

/** The same as versions of an answer that tells it, where `p` is the project. */
export const WAITING_VERSIONS = since('p.id').map((expression) => `COALESCE(${expression}, -1)`);

/** Events that are acknowledged and not part of results yet. */
@Injectable()
export class WaitingEvents {
  constructor(private readonly database: Database) {}

  /**
   * The moment before which all acknowledged events of the experiment's project are counted, up to the difference
   * between the clocks of servers; null if all are. Read it before the cells that it is about.
   */
  async countedBefore(experimentId: number): Promise<Micros | null> {
    const [marked, opened] = since('e.project_id');
    const [row]: Record<'marked' | 'opened', string | number | null>[] = await this.database.read.query(
      `SELECT ${marked} AS marked, ${opened} AS opened FROM experiments e WHERE e.id = ?`,
      [experimentId],
    );
    const moments = [row?.marked, row?.opened].filter((moment) => moment !== null && moment !== undefined);
    return moments.length === 0 ? null : Math.min(...moments.map(Number));
  }
}
