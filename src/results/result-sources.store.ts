import { Injectable } from '@nestjs/common';
import { LATE_MICROS } from '../common/limits';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import { STORED } from '../events/clickhouse/event-batch.entity';
import type { AnswerSources } from '../platform/access/route-access';
import type { PathItem } from '../platform/access/scope';

/** An attached goal in a path. In an experiment, only attached goals have results. */
export const attachedGoalPath: PathItem = {
  param: 'goal',
  table: 'experiment_goals',
  idColumn: 'goal_id',
  parentColumn: 'experiment_id',
  hasVersion: false,
};

/**
 * The version of a project record covers the project's rules for results. An experiment's version also covers its
 * attachments.
 */
export const RESULT_SOURCES: Omit<AnswerSources, 'lasts'> = {
  space: 'results',
  param: 'experiment',
  joins: `JOIN experiments e ON e.id = ? AND e.project_id = p.id AND e.deleted_at IS NULL
          LEFT JOIN experiment_results r ON r.experiment_id = e.id`,
  versions: ['p.version', 'e.version', 'COALESCE(r.version, 0)'],
  turnsAt: `e.archived_at + ${LATE_MICROS}`,
};

/**
 * SQL expressions for the time since which acknowledged events have been waiting, in the main database and in
 * ClickHouse; null if none are waiting.
 */
const since = (projectId: string): [string, string] => [
  `(SELECT MIN(marked_at) FROM dirty_visitors WHERE project_id = ${projectId})`,
  `(SELECT MIN(opened_at) FROM event_batches WHERE state = ${STORED})`,
];

/** The same times as version numbers, for responses that include them. In the SQL, `p` is the project. */
export const WAITING_VERSIONS = since('p.id').map((expression) => `COALESCE(${expression}, -1)`);

/** Events that are acknowledged but not yet counted. */
@Injectable()
export class WaitingEvents {
  constructor(private readonly database: Database) {}

  /**
   * The time before which all acknowledged events in the experiment's project are counted, apart from clock differences
   * between servers; null if all events are counted. Read it before reading the cells.
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
