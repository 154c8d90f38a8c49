import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../database/database';
import { ignoringDuplicates } from '../database/dialect';
import type { Definitions } from './definitions';
import type { ResolvedEvent } from './resolution';

/** Events of one project, resolved by its definitions. */
export interface ProjectEvents {
  definitions: Definitions;
  events: ResolvedEvent[];
}

/** A project changed between the resolution of its events and their storing. */
export class DefinitionsChangedError extends Error {}

const EVENT_COLUMNS =
  'project_id, visitor_id, event_id, occurred_at, experiment_id, variation_id, goal_id, value, device, attributed';
const MAX_ROWS = 1_000;
/** SQLite keeps prepared statements: few sizes find theirs again, and many would fill its memory. */
const SQLITE_ROWS = [512, 64, 8, 1];

type Parameter = number | string | null;

/** Stores events, and marks what has to be done about them. */
@Injectable()
export class EventWriter {
  constructor(private readonly database: Database) {}

  /**
   * Stores events that are not there yet. The visitors are marked first: who attributes one of them holds its mark,
   * and must see either all of this or nothing.
   * @returns the projects in which something was collected for the first time
   * @throws DefinitionsChangedError when something is collected for the first time by definitions that are old
   */
  async store(tx: Tx, projects: readonly ProjectEvents[]): Promise<number[]> {
    const changed: number[] = [];
    const inOrder = [...projects].sort((a, b) => a.definitions.projectId - b.definitions.projectId);
    for (const project of inOrder) {
      if (await this.noteFirsts(tx, project)) {
        changed.push(project.definitions.projectId);
      }
    }
    const rows = inOrder.flatMap(({ definitions, events }) => rowsOf(definitions.projectId, events));
    const visitors = rows.filter(isFirstOfVisitor).map((row) => row.slice(0, 2));
    await this.insert(tx, 'dirty_visitors', 'project_id, visitor_id', visitors);
    await this.insert(tx, 'events', EVENT_COLUMNS, rows);
    return changed;
  }

  /**
   * From its first exposure or conversion on, an experiment cannot lose variations and a goal cannot change its
   * type. So the first one locks the project's version: what it relies on stays true until it is stored.
   */
  private async noteFirsts(tx: Tx, { definitions, events }: ProjectEvents): Promise<boolean> {
    const { experiments, goals } = firstsOf(definitions, events);
    if (experiments.length + goals.length === 0) {
      return false;
    }
    const [row]: { version: number }[] = await tx.query(
      `SELECT version FROM project_versions WHERE project_id = ?${this.database.forShare}`,
      [definitions.projectId],
    );
    if (row?.version !== definitions.version) {
      throw new DefinitionsChangedError();
    }
    await this.insert(
      tx,
      'experiment_results',
      'experiment_id, version, generation',
      experiments.map((id) => [id, 1, 1]),
    );
    await this.insert(
      tx,
      'collected_goals',
      'goal_id',
      goals.map((id) => [id]),
    );
    return true;
  }

  private async insert(tx: Tx, table: string, columns: string, rows: readonly Parameter[][]): Promise<void> {
    const [key] = columns.split(', ');
    const tail = ignoringDuplicates(this.database.engine, key);
    for (let start = 0, size = 0; start < rows.length; start += size) {
      size = this.statementRows(rows.length - start);
      const chunk = rows.slice(start, start + size);
      const tuple = `(${chunk[0].map(() => '?').join(', ')})`;
      await tx.query(
        `INSERT INTO ${table} (${columns}) VALUES ${chunk.map(() => tuple).join(', ')} ${tail}`,
        chunk.flat(),
      );
    }
  }

  /** How many of the rows that are left the next statement takes. */
  private statementRows(left: number): number {
    return this.database.engine === 'sqlite'
      ? (SQLITE_ROWS.find((size) => size <= left) ?? 1)
      : Math.min(left, MAX_ROWS);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The rows of a project's events in the order of their key, in which every process locks them. */
function rowsOf(projectId: number, events: readonly ResolvedEvent[]): Parameter[][] {
  return [...events]
    .sort((a, b) => compare(a.visitor_id, b.visitor_id) || compare(a.event_id, b.event_id))
    .map((event) => [
      projectId,
      event.visitor_id,
      event.event_id,
      event.occurred_at,
      event.experiment_id,
      event.variation_id,
      event.goal_id,
      event.value,
      event.device,
      0,
    ]);
}

const isFirstOfVisitor = ([projectId, visitorId]: Parameter[], index: number, rows: Parameter[][]): boolean =>
  projectId !== rows[index - 1]?.[0] || visitorId !== rows[index - 1]?.[1];

/** Experiments and goals of which nothing was collected before, in the order of their ids. */
function firstsOf(
  { experiments, goals }: Definitions,
  events: readonly ResolvedEvent[],
): { experiments: number[]; goals: number[] } {
  const newExperiments = new Set<number>();
  const newGoals = new Set<number>();
  for (const { experiment_id, goal_id } of events) {
    if (experiment_id !== null && experiments.get(experiment_id)?.isCollected === false) {
      newExperiments.add(experiment_id);
    }
    if (goal_id !== null && goals.get(goal_id)?.isCollected === false) {
      newGoals.add(goal_id);
    }
  }
  const inOrder = (ids: Set<number>): number[] => [...ids].sort((a, b) => a - b);
  return { experiments: inOrder(newExperiments), goals: inOrder(newGoals) };
}
