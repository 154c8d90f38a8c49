import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import type { EntityManager } from 'typeorm';
import { Database, Tx } from '../../database/database';
import { updatingDuplicates } from '../../database/dialect';
import { countRows, placeholders, RowStore } from '../../database/row-store';
import { EventLog, EventSpan } from '../event-log';
import { linkedIdsOf } from '../links/linked-ids.store';
import { ExclusionRow, Exclusions } from './excluded';
import { VisitorExclusion } from './visitor-exclusion.entity';

/** Time range of first exposures: start inclusive, end exclusive; null = unbounded. */
export interface EntryTimes {
  from: Micros | null;
  until: Micros | null;
}

const NEVER = Number.MAX_SAFE_INTEGER;
const EVER = -NEVER;

const KEY = ['project_id', 'visitor_id', 'exclusion_id'];
const OPEN = 'finished_at IS NULL AND undone_at IS NULL';

@Injectable()
export class ExclusionStore extends RowStore<VisitorExclusion> {
  constructor(
    private readonly database: Database,
    readonly log: EventLog,
  ) {
    super(database, VisitorExclusion);
  }

  ofProject(projectId: number): Promise<VisitorExclusion[]> {
    return this.find(this.database.read, 'project_id = ?', [projectId]);
  }

  /** The incomplete exclusion with these criteria; null if there is none. */
  async findOpen(
    tx: Tx,
    { project_id, experiment_id, criteria_hash }: Omit<VisitorExclusion, 'id'>,
  ): Promise<VisitorExclusion | null> {
    const [row = null] = await this.find(
      tx,
      `project_id = ? AND criteria_hash = ? AND ${OPEN} AND (experiment_id = ? OR (experiment_id IS NULL AND ? IS NULL))`,
      [project_id, criteria_hash, experiment_id, experiment_id],
    );
    return row;
  }

  /**
   * Adds to an exclusion's visitor count. No node can undo or delete the exclusion before the transaction ends.
   * @returns false if the exclusion has already been undone or deleted
   */
  async hold(tx: Tx, id: number, visitors: number): Promise<boolean> {
    const sql = 'UPDATE visitor_exclusions SET visitors = visitors + ? WHERE id = ? AND undone_at IS NULL';
    return (await countRows(tx, sql, [visitors, id])) > 0;
  }

  async end(
    tx: Tx,
    {
      id,
      visitors,
      finished_at,
      undone_at,
    }: Pick<VisitorExclusion, 'id' | 'visitors' | 'finished_at' | 'undone_at'>,
  ): Promise<void> {
    await tx.query(
      'UPDATE visitor_exclusions SET visitors = ?, finished_at = ?, undone_at = ? WHERE id = ?',
      [visitors, finished_at, undone_at, id],
    );
  }

  /** Adds visitors to an exclusion, including those who were about to be included again. */
  async addVisitors(
    tx: Tx,
    { id, project_id, experiment_id }: VisitorExclusion,
    visitorIds: readonly string[],
  ): Promise<void> {
    await tx.query(
      `INSERT INTO excluded_visitors (project_id, visitor_id, exclusion_id, experiment_id, wanted, applied)
       VALUES ${visitorIds.map(() => '(?, ?, ?, ?, 1, 0)').join(', ')}
       ${updatingDuplicates(this.database.engine, KEY, 'wanted = 1')}`,
      visitorIds.flatMap((visitor) => [project_id, visitor, id, experiment_id]),
    );
  }

  /** Removes visitors from all exclusions. */
  async deleteOf(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    await tx.query(
      `DELETE FROM excluded_visitors WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`,
      [projectId, ...visitorIds],
    );
  }

  async countVisitors(exclusionId: number): Promise<number> {
    const [{ count }]: { count: number | string }[] = await this.database.read.query(
      'SELECT COUNT(*) AS count FROM excluded_visitors WHERE exclusion_id = ?',
      [exclusionId],
    );
    return Number(count);
  }

  /** Up to `limit` excluded visitors, sorted by id. */
  async someVisitors(tx: Tx, exclusionId: number, limit: number): Promise<string[]> {
    return idsIn(
      await tx.query(
        `SELECT visitor_id FROM excluded_visitors WHERE exclusion_id = ? AND wanted = 1
          ORDER BY visitor_id LIMIT ${limit}`,
        [exclusionId],
      ),
    );
  }

  /** Requests that these visitors be included again. */
  async releaseVisitors(
    tx: Tx,
    { id, project_id }: VisitorExclusion,
    visitorIds: readonly string[],
  ): Promise<void> {
    await tx.query(
      `UPDATE excluded_visitors SET wanted = 0
        WHERE project_id = ? AND exclusion_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`,
      [project_id, id, ...visitorIds],
    );
  }

  /** Whether the cells have been updated for the exclusion. */
  async isSettled(exclusionId: number): Promise<boolean> {
    const left: unknown[] = await this.database.read.query(
      'SELECT 1 FROM excluded_visitors WHERE exclusion_id = ? AND (wanted = 0 OR applied = 0) LIMIT 1',
      [exclusionId],
    );
    return left.length === 0;
  }

  /** These ids, and all ids that are linked to them. */
  async withLinked(projectId: number, visitorIds: readonly string[]): Promise<string[]> {
    return (await linkedIdsOf(this.database.read, projectId, visitorIds, 'all')).and(visitorIds);
  }

  /**
   * The candidates that have an exposure and whose visitor's first exposure, under any id, is in this range.
   * @param experimentId null = all experiments
   */
  async exposedAmong(
    projectId: number,
    experimentId: number | null,
    { from, until }: EntryTimes,
    candidates: readonly string[],
  ): Promise<string[]> {
    const links = await linkedIdsOf(this.database.read, projectId, candidates, 'all');
    const ids = links.and(candidates);
    const rows = await this.log.firstExposures(projectId, experimentId, ids);
    const firsts = new Map<string, Micros>();
    for (const { visitor_id, first } of rows) {
      const visitor = links.canonicalIdOf(visitor_id);
      firsts.set(visitor, Math.min(firsts.get(visitor) ?? NEVER, first));
    }
    const isInRange = (id: string): boolean => {
      const first = firsts.get(links.canonicalIdOf(id)) ?? NEVER;
      return first >= (from ?? EVER) && first < (until ?? NEVER);
    };
    const among = new Set(candidates);
    return idsIn(rows).filter((id) => among.has(id) && isInRange(id));
  }

  /** Whether this span, including both ends, contains the first or the last event of the results. */
  async reachesEnd({ experimentId, first, last }: EventSpan): Promise<boolean> {
    const rows: unknown[] = await this.database.read.query(
      'SELECT 1 FROM experiment_results WHERE experiment_id = ? AND (first_event_at >= ? OR last_event_at <= ?)',
      [experimentId, first, last],
    );
    return rows.length > 0;
  }
}

const idsIn = (rows: readonly { visitor_id: string }[]): string[] => rows.map(({ visitor_id }) => visitor_id);

/**
 * The exclusions of visitor ids.
 * @param marked ids whose marks the transaction holds, so their exclusions cannot change concurrently
 */
export async function exclusionsOf(
  manager: EntityManager,
  projectId: number,
  visitorIds: readonly string[],
  marked: readonly string[] = [],
): Promise<Exclusions> {
  const rows: ExclusionRow[] =
    visitorIds.length === 0
      ? []
      : await manager.query(
          `SELECT visitor_id, experiment_id, wanted, applied FROM excluded_visitors
            WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`,
          [projectId, ...visitorIds],
        );
  return new Exclusions(rows, new Set(marked));
}

/** Records that the cells have been updated for these visitors. */
export async function settleExclusions(
  tx: Tx,
  projectId: number,
  visitorIds: readonly string[],
): Promise<void> {
  const who = `project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`;
  const parameters = [projectId, ...visitorIds];
  await tx.query(`DELETE FROM excluded_visitors WHERE ${who} AND wanted = 0`, parameters);
  await tx.query(`UPDATE excluded_visitors SET applied = 1 WHERE ${who} AND applied = 0`, parameters);
}
