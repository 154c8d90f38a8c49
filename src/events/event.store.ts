import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { nowMicros } from '../common/time/clock';
import { Database, Tx } from '../database/database';
import { countingDuplicates, ignoringDuplicates } from '../database/dialect';
import { placeholders } from '../database/row-store';
import { rulesText } from './counting-rules';
import type { ExperimentDefinition } from './definitions';
import { type ExperimentResult, FIRST_GENERATION } from './experiment-result.entity';
import type { ResolvedEvent } from './message-outcome';

/** An event and its project. */
export type NewEvent = ResolvedEvent & { project_id: number };

/** A visitor of a project. */
export interface VisitorKey {
  project_id: number;
  visitor_id: string;
}

const EVENT_COLUMNS = [
  'project_id',
  'visitor_id',
  'event_id',
  'occurred_at',
  'experiment_id',
  'variation_id',
  'goal_id',
  'value',
  'device',
  'arrived_at',
  'phase',
] as const satisfies (keyof NewEvent)[];

const RESULT_COLUMNS = [
  'experiment_id',
  'version',
  'generation',
  'rules_version',
  'attribution_version',
  'rules',
] as const satisfies (keyof ExperimentResult)[];

const MARK_KEY = ['project_id', 'visitor_id'];
/** New marks start at a random count below this limit, so a new mark is not confused with a deleted one. */
const MARK_START = 2 ** 30;
const MAX_ROWS = 1_000;
/** Row counts of INSERT statements. There are only a few, because a prepared statement is cached for each row count. */
const SQLITE_ROWS = [512, 64, 8, 1];

type Parameter = number | string | null;

/**
 * Writes events, visitor marks, and the rows that record first exposures and first conversions. Existing rows with the
 * same key are left unchanged, except for marks, which are incremented.
 */
@Injectable()
export class EventStore {
  constructor(private readonly database: Database) {}

  /** Adds events, which are not attributed yet. */
  async insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
    const rows = events.map((event) => [...EVENT_COLUMNS.map((column) => event[column] ?? null), 0]);
    await this.insert(tx, 'events', [...EVENT_COLUMNS, 'attributed'], rows);
  }

  /**
   * Marks visitors for attribution; existing marks are incremented and keep their time.
   * @param visitors sorted by project and visitor, which is the lock order of all processes
   */
  async markVisitors(tx: Tx, visitors: readonly VisitorKey[]): Promise<void> {
    const [start, now] = [randomInt(MARK_START), nowMicros()];
    const marks = visitors.map(({ project_id, visitor_id }) => [project_id, visitor_id, start, now]);
    const counting = countingDuplicates(this.database.engine, MARK_KEY, 'lock_version');
    await this.insert(tx, 'dirty_visitors', [...MARK_KEY, 'lock_version', 'marked_at'], marks, counting);
  }

  /** Deletes marks that the transaction has incremented. */
  async removeMarks(tx: Tx, projectId: number, visitorIds: readonly string[]): Promise<void> {
    await tx.query(
      `DELETE FROM dirty_visitors WHERE project_id = ? AND visitor_id IN (${placeholders(visitorIds.length)})`,
      [projectId, ...visitorIds],
    );
  }

  /** Records the first exposure of each experiment, with their counting rules. The experiments must be sorted by id. */
  async insertResults(tx: Tx, experiments: readonly ExperimentDefinition[]): Promise<void> {
    const rows = experiments.map(({ id, rules }) => [id, 1, FIRST_GENERATION, 1, 1, rulesText(rules)]);
    await this.insert(tx, 'experiment_results', RESULT_COLUMNS, rows);
  }

  /** Records that goals have conversions. The goals must be sorted by id. */
  async insertCollectedGoals(tx: Tx, goalIds: readonly number[]): Promise<void> {
    await this.insert(
      tx,
      'collected_goals',
      ['goal_id'],
      goalIds.map((id) => [id]),
    );
  }

  private async insert(
    tx: Tx,
    table: string,
    columns: readonly string[],
    rows: readonly Parameter[][],
    tail = ignoringDuplicates(this.database.engine, columns[0]),
  ): Promise<void> {
    const tuple = `(${placeholders(columns.length)})`;
    for (let start = 0, size = 0; start < rows.length; start += size) {
      size = this.statementRows(rows.length - start);
      const chunk = rows.slice(start, start + size);
      await tx.query(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${chunk.map(() => tuple).join(', ')} ${tail}`,
        chunk.flat(),
      );
    }
  }

  /** The number of remaining rows that the next statement inserts. */
  private statementRows(left: number): number {
    return this.database.engine === 'sqlite'
      ? (SQLITE_ROWS.find((size) => size <= left) ?? 1)
      : Math.min(left, MAX_ROWS);
  }
}

/** The revision of the latest publication whose digest starts with a snippet's build; null if there is none. */
export async function revisionOfBuild(
  manager: EntityManager,
  projectId: number,
  build: string,
): Promise<number | null> {
  const [row]: { revision: number }[] = await manager.query(
    'SELECT revision FROM publications WHERE project_id = ? AND digest LIKE ? ORDER BY revision DESC LIMIT 1',
    [projectId, `${build}%`],
  );
  return row?.revision ?? null;
}
