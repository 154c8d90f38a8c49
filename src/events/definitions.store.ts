import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { groupBy } from '../common/lists/collections';
import { Database } from '../database/database';
import type { PageCondition } from '../resources/pages/page-conditions';
import { capsOf, countingRules, PhaseRow, RunRow } from './counting-rules.store';
import type { Definitions, ExperimentDefinition, GoalDefinition } from './definitions';
import {
  earlierClickGoals,
  LiveNames,
  LiveNameSource,
  namedExperiments,
  namedGoals,
  namedVariations,
} from './live-names';
import { pageviewGoals } from './pageview-goals';

interface ExperimentRow {
  id: number;
  api_name: string;
  status: string;
  archived_at: string | number | null;
  collected: number | null;
}

interface VariationRow {
  id: number;
  experiment_id: number;
  api_name: string;
}

interface GoalRow {
  id: number;
  api_name: string;
  type: string;
  value_type: string;
  trusted_only: number;
  value_cap: string | number | null;
  collected: number | null;
  conditions: string | null;
}

const MAX_PROJECTS = 500;
const MAX_BYTES = 64 * 1024 * 1024;
const RECORD_BYTES = 500;
/** Estimated maximum size of a pattern and its compiled form, in bytes. */
const PATTERN_BYTES = 4_096;

function bytesOf({ experiments, goals, pageviewGoals }: Definitions): number {
  const patterns = pageviewGoals
    .flatMap(({ pages }) => pages)
    .reduce((sum, { matcher }) => sum + matcher.wanted.length + matcher.unwanted.length, 0);
  const variations = [...experiments.values()].reduce((sum, each) => sum + each.variations.size, 0);
  const records = 1 + experiments.size + variations + 2 * goals.size;
  return RECORD_BYTES * records + PATTERN_BYTES * patterns;
}

/** Cache of project definitions, valid until the project version changes. */
@Injectable()
export class DefinitionStore {
  private readonly known = new LRUCache<number, Definitions>({
    max: MAX_PROJECTS,
    maxSize: MAX_BYTES,
    sizeCalculation: bytesOf,
  });

  constructor(
    private readonly database: Database,
    private readonly live: LiveNameSource,
  ) {}

  /** @param version the current project version */
  async find(projectId: number, version: number): Promise<Definitions> {
    const known = this.known.get(projectId);
    if (known?.version === version) {
      return known;
    }
    const definitions = await this.load(this.database.read, projectId, version);
    this.known.set(projectId, definitions);
    return definitions;
  }

  /**
   * Invalidates a project's entry after a first exposure or conversion, so the next read shows that the experiment or
   * goal has events.
   */
  forget(projectId: number): void {
    this.known.delete(projectId);
  }

  async load(manager: EntityManager, projectId: number, version: number): Promise<Definitions> {
    const experiments: ExperimentRow[] = await manager.query(
      `SELECT e.id, e.api_name, e.status, e.archived_at, r.experiment_id AS collected FROM experiments e
         LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.project_id = ? AND e.deleted_at IS NULL`,
      [projectId],
    );
    const inProject =
      'JOIN experiments e ON e.id = x.experiment_id WHERE e.project_id = ? AND e.deleted_at IS NULL';
    const variations: VariationRow[] = await manager.query(
      `SELECT x.id, x.experiment_id, x.api_name FROM variations x ${inProject}`,
      [projectId],
    );
    const runs: RunRow[] = await manager.query(
      `SELECT x.experiment_id, x.started_at, x.ended_at FROM experiment_runs x ${inProject} ORDER BY x.started_at, x.id`,
      [projectId],
    );
    const phases: PhaseRow[] = await manager.query(
      `SELECT x.experiment_id, x.began_at FROM experiment_phases x ${inProject} ORDER BY x.experiment_id, x.number`,
      [projectId],
    );
    const goals: GoalRow[] = await manager.query(
      `SELECT g.id, g.api_name, g.type, g.value_type, g.trusted_only, g.value_cap, c.goal_id AS collected, p.conditions FROM goals g
         LEFT JOIN collected_goals c ON c.goal_id = g.id LEFT JOIN pages p ON p.id = g.page_id
        WHERE g.project_id = ? ORDER BY g.id`,
      [projectId],
    );
    const live = await this.live.namesOf(manager, projectId);
    const byId = experimentsOf(experiments, variations, runs, phases, capsOf(goals), live.experiments);
    const goalsById = new Map(goals.map((goal) => [goal.id, toGoal(goal)]));
    return {
      projectId,
      version,
      experiments: byId,
      namedExperiments: namedExperiments(byId, live.experiments),
      goals: goalsById,
      namedGoals: namedGoals(goalsById, goals, live.goals),
      earlierClickGoals: earlierClickGoals(goalsById, live.earlierGoals),
      pageviewGoals: pageviewGoals(goalsById, pageConditions(goals), live),
    };
  }
}

function experimentsOf(
  rows: readonly ExperimentRow[],
  variations: readonly VariationRow[],
  runs: readonly RunRow[],
  phases: readonly PhaseRow[],
  caps: ReadonlyMap<number, number>,
  live: LiveNames['experiments'],
): Map<number, ExperimentDefinition> {
  const own = groupBy(variations, ({ experiment_id }) => experiment_id);
  const shown = new Map(live.map((each) => [each.id, each.variations]));
  const periods = groupBy(runs, ({ experiment_id }) => experiment_id);
  const beginnings = groupBy(phases, ({ experiment_id }) => experiment_id);
  return new Map(
    rows.map(({ id, api_name, status, archived_at, collected }) => [
      id,
      {
        id,
        apiName: api_name,
        isPreviewed: status === 'preview',
        variations: namedVariations(own.get(id) ?? [], shown.get(id) ?? []),
        variationIds: new Set(own.get(id)?.map((variation) => variation.id)),
        rules: countingRules(archived_at, periods.get(id) ?? [], beginnings.get(id) ?? [], caps),
        isCollected: collected !== null,
      },
    ]),
  );
}

const toGoal = ({ id, type, value_type, trusted_only, value_cap, collected }: GoalRow): GoalDefinition => ({
  id,
  type,
  hasValue: value_type !== 'none',
  isTrustedOnly: Boolean(trusted_only),
  hasValueCap: value_cap !== null,
  isCollected: collected !== null,
});

/** The current page conditions of the pageview goals by goal id. */
const pageConditions = (rows: readonly GoalRow[]): Map<number, PageCondition[]> =>
  new Map(
    rows.flatMap(({ id, conditions }) =>
      conditions === null ? [] : [[id, JSON.parse(conditions) as PageCondition[]]],
    ),
  );
