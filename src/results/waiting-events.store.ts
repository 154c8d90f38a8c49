import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { STORED } from '../events/clickhouse/event-batch.entity';

/**
 * SQL expressions of the time since which acknowledged events have been waiting, in the main database and in
 * ClickHouse; or null.
 */
const since = (projectId: string): [string, string] => [
  `(SELECT MIN(marked_at) FROM dirty_visitors WHERE project_id = ${projectId})`,
  `(SELECT MIN(opened_at) FROM event_batches WHERE state = ${STORED})`,
];

/** The same, as a version of responses that include it; `p` is the project. */
export const WAITING_VERSIONS = since('p.id').map((expression) => `COALESCE(${expression}, -1)`);

/** Events that are acknowledged but not yet counted. */
@Injectable()
export class WaitingEvents {
  constructor(private readonly database: Database) {}

  /**
   * The moment before which all acknowledged events of the experiment's project are counted, up to the difference
   * between the clocks of servers; null if all are. Read it before the cells that it refers to.
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
