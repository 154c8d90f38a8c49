import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import type { PageCondition } from '../pages/page-conditions';
import { compilePage, PageMatcher } from '../pages/page-matching';

/** A period in which an experiment ran; without an end it still does. */
export interface Run {
  startedAt: Micros;
  endedAt: Micros | null;
}

export interface ExperimentDefinition {
  id: number;
  isPreviewed: boolean;
  variationIds: ReadonlySet<number>;
  /** From the first to the last. */
  runs: readonly Run[];
  /** Has it been exposed to anybody? */
  isCollected: boolean;
}

export interface GoalDefinition {
  id: number;
  type: string;
  hasValue: boolean;
  /** Has it any conversion? */
  isCollected: boolean;
}

/** What of a project decides about its events. */
export interface Definitions {
  projectId: number;
  /** The version of the project that this was read from. */
  version: number;
  experiments: ReadonlyMap<number, ExperimentDefinition>;
  goals: ReadonlyMap<number, GoalDefinition>;
  /** Goals that are triggered by name. */
  namedGoals: ReadonlyMap<string, GoalDefinition>;
  pageviewGoals: readonly (GoalDefinition & { page: PageMatcher })[];
}

interface ExperimentRow {
  id: number;
  status: string;
  collected: number | null;
}

interface GoalRow {
  id: number;
  api_name: string;
  type: string;
  value_type: string;
  collected: number | null;
  conditions: string | null;
}

interface RunRow {
  experiment_id: number;
  started_at: string | number;
  ended_at: string | number | null;
}

const MAX_PROJECTS = 500;

/** Definitions of projects, kept as long as nothing in the project has changed. */
@Injectable()
export class DefinitionStore {
  private readonly known = new LRUCache<number, Definitions>({ max: MAX_PROJECTS });

  constructor(private readonly database: Database) {}

  /** @param version the project's version as it is now */
  async find(projectId: number, version: number): Promise<Definitions> {
    const known = this.known.get(projectId);
    if (known?.version === version) {
      return known;
    }
    const definitions = await this.load(this.database.read, projectId, version);
    this.known.set(projectId, definitions);
    return definitions;
  }

  /** What was collected for the first time is known from the next reading on. */
  forget(projectId: number): void {
    this.known.delete(projectId);
  }

  async load(manager: EntityManager, projectId: number, version: number): Promise<Definitions> {
    const experiments: ExperimentRow[] = await manager.query(
      `SELECT e.id, e.status, r.experiment_id AS collected FROM experiments e
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.project_id = ? AND e.deleted_at IS NULL`,
      [projectId],
    );
    const inProject =
      'JOIN experiments e ON e.id = x.experiment_id WHERE e.project_id = ? AND e.deleted_at IS NULL';
    const variations: { id: number; experiment_id: number }[] = await manager.query(
      `SELECT x.id, x.experiment_id FROM variations x ${inProject}`,
      [projectId],
    );
    const runs: RunRow[] = await manager.query(
      `SELECT x.experiment_id, x.started_at, x.ended_at FROM experiment_runs x ${inProject} ORDER BY x.started_at`,
      [projectId],
    );
    const goals: GoalRow[] = await manager.query(
      `SELECT g.id, g.api_name, g.type, g.value_type, c.goal_id AS collected, p.conditions FROM goals g
         LEFT JOIN collected_goals c ON c.goal_id = g.id LEFT JOIN pages p ON p.id = g.page_id
        WHERE g.project_id = ? ORDER BY g.id`,
      [projectId],
    );
    return {
      projectId,
      version,
      experiments: experimentsOf(experiments, variations, runs),
      goals: new Map(goals.map((goal) => [goal.id, toGoal(goal)])),
      namedGoals: new Map(
        goals.filter(({ type }) => type !== 'pageview').map((goal) => [goal.api_name, toGoal(goal)]),
      ),
      pageviewGoals: goals.filter(({ type }) => type === 'pageview').map(toPageviewGoal),
    };
  }
}

function experimentsOf(
  rows: readonly ExperimentRow[],
  variations: readonly { id: number; experiment_id: number }[],
  runs: readonly RunRow[],
): Map<number, ExperimentDefinition> {
  const variationIds = new Map(rows.map(({ id }) => [id, new Set<number>()]));
  const periods = new Map(rows.map(({ id }) => [id, [] as Run[]]));
  for (const { id, experiment_id } of variations) {
    variationIds.get(experiment_id)?.add(id);
  }
  for (const { experiment_id, started_at, ended_at } of runs) {
    const endedAt = ended_at === null ? null : Number(ended_at);
    periods.get(experiment_id)?.push({ startedAt: Number(started_at), endedAt });
  }
  return new Map(
    rows.map(({ id, status, collected }) => [
      id,
      {
        id,
        isPreviewed: status === 'preview',
        variationIds: variationIds.get(id) ?? new Set(),
        runs: periods.get(id) ?? [],
        isCollected: collected !== null,
      },
    ]),
  );
}

const toGoal = ({ id, type, value_type, collected }: GoalRow): GoalDefinition => ({
  id,
  type,
  hasValue: value_type !== 'none',
  isCollected: collected !== null,
});

const toPageviewGoal = (row: GoalRow): GoalDefinition & { page: PageMatcher } => ({
  ...toGoal(row),
  page: compilePage(JSON.parse(row.conditions ?? '[]') as PageCondition[]),
});
