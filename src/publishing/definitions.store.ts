import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ConditionTree } from '../resources/audiences/condition-tree';
import { chunksOf, groupBy } from '../common/lists/collections';
import type { Failures } from '../common/validation/failures';
import { entriesOfLines } from '../database/columns';
import type { Reader } from '../database/delivery-pool';
import { placeholders } from '../database/row-store';
import type { PageCondition } from '../resources/pages/page-conditions';
import type { PushTarget } from '../projects/settings/push-targets';
import {
  sharesAreComplete,
  sharesInBasisPoints,
  sumOfShares,
} from '../experiments/variations/variation-shares';
import type {
  LiveDefinitions,
  LiveEnvironment,
  LiveExperiment,
  LiveGoal,
  LivePage,
  LiveVariation,
} from './definitions';

interface ExperimentRow {
  id: number;
  name: string;
  api_name: string;
  /** Basis points (hundredths of a percent). */
  traffic_allocation: number;
  traffic_in_ranges: number | boolean;
  audiences_match_type: LiveExperiment['audiences_match_type'];
  js: string | null;
  reset_js: string | null;
  css: string | null;
}

interface VariationRow extends Omit<LiveVariation, 'share' | 'is_original'> {
  experiment_id: number;
  is_original: number | boolean;
  traffic_allocation: number | null;
}

type Attached<Row> = Row & { experiment_id: number };

/** Number of experiments that one statement reads. */
const CHUNK = 5_000;

const conditionsIn = (json: string | null): unknown => (json === null ? null : JSON.parse(json));

/** Reads the current definitions for publications. */
@Injectable()
export class DefinitionsStore {
  /**
   * All running experiments in a project.
   * @param failures collects the reasons why an experiment cannot be built
   */
  async running(manager: EntityManager, projectId: number, failures: Failures): Promise<LiveDefinitions> {
    const rows = await experimentRows(manager, 'project_id = ? AND status = ? AND deleted_at IS NULL', [
      projectId,
      'running',
    ]);
    return this.definitions(manager, projectId, rows, failures);
  }

  /**
   * One experiment in a project, in any status.
   * @param failures as for `running`; null accepts shares with any sum
   */
  async single(
    manager: EntityManager,
    projectId: number,
    experimentId: number,
    failures: Failures | null,
  ): Promise<LiveDefinitions> {
    const rows = await experimentRows(manager, 'project_id = ? AND id = ? AND deleted_at IS NULL', [
      projectId,
      experimentId,
    ]);
    return this.definitions(manager, projectId, rows, failures);
  }

  /** Whether the experiment is running and not deleted. */
  async isRunning(manager: Reader, experimentId: number): Promise<boolean> {
    const rows: unknown[] = await manager.query(
      "SELECT id FROM experiments WHERE id = ? AND status = 'running' AND deleted_at IS NULL",
      [experimentId],
    );
    return rows.length > 0;
  }

  /** The ids of a project's running experiments. */
  async runningIds(manager: EntityManager, projectId: number): Promise<number[]> {
    const rows: { id: number }[] = await manager.query(
      "SELECT id FROM experiments WHERE project_id = ? AND status = 'running' AND deleted_at IS NULL",
      [projectId],
    );
    return rows.map(({ id }) => id);
  }

  /** The ids of the variations of a project's running experiments. */
  async runningVariations(manager: EntityManager, projectId: number): Promise<Set<number>> {
    const rows: { id: number }[] = await manager.query(
      `SELECT v.id FROM variations v JOIN experiments e ON e.id = v.experiment_id
        WHERE e.project_id = ? AND e.status = 'running' AND e.deleted_at IS NULL`,
      [projectId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The definitions in a project, except its experiments. */
  async empty(manager: Reader, projectId: number): Promise<LiveDefinitions> {
    const [project]: { storage: LiveDefinitions['storage']; push_to: string }[] = await manager.query(
      'SELECT p.storage, s.push_to FROM projects p JOIN project_settings s ON s.id = p.id WHERE p.id = ?',
      [projectId],
    );
    const pushTo = entriesOfLines(project?.push_to ?? '') as PushTarget[];
    const environments: (Omit<LiveEnvironment, 'is_default'> & { is_default: number | boolean })[] =
      await manager.query(
        'SELECT id, api_name, is_default, code FROM environments WHERE project_id = ? ORDER BY id',
        [projectId],
      );
    return {
      storage: project?.storage ?? 'localStorage',
      push_to: pushTo.length === 0 ? undefined : pushTo,
      environments: environments.map((each) => ({ ...each, is_default: Boolean(each.is_default) })),
      experiments: [],
    };
  }

  private async definitions(
    manager: EntityManager,
    projectId: number,
    rows: readonly ExperimentRow[],
    failures: Failures | null,
  ): Promise<LiveDefinitions> {
    const definitions = await this.empty(manager, projectId);
    for (const chunk of chunksOf(rows, CHUNK)) {
      definitions.experiments.push(...(await experiments(manager, chunk, failures)));
    }
    return definitions;
  }
}

const experimentRows = (
  manager: EntityManager,
  where: string,
  parameters: (number | string)[],
): Promise<ExperimentRow[]> =>
  manager.query(
    `SELECT id, name, api_name, traffic_allocation, traffic_in_ranges, audiences_match_type, js, reset_js, css
       FROM experiments WHERE ${where} ORDER BY id`,
    parameters,
  );

async function experiments(
  manager: EntityManager,
  rows: readonly ExperimentRow[],
  failures: Failures | null,
): Promise<LiveExperiment[]> {
  const ids = rows.map(({ id }) => id);
  const read = async <Row>(sql: string): Promise<Map<number, Row[]>> =>
    byExperiment(
      await manager.query<Attached<Row>[]>(sql.replace('(?)', `(${placeholders(ids.length)})`), ids),
    );
  // In id order, because the experiment's own order of these items does not affect what is published.
  const attached = (join: string, item: string, columns: string, also = ''): string =>
    `SELECT j.experiment_id, ${columns} FROM experiment_${join} j JOIN ${join} i ON i.id = j.${item}_id ${also}
      WHERE j.experiment_id IN (?) ORDER BY j.experiment_id, i.id`;
  const variations = await read<Omit<VariationRow, 'experiment_id'>>(
    `SELECT experiment_id, id, api_name, is_original, traffic_allocation, js, css
       FROM variations WHERE experiment_id IN (?) ORDER BY id`,
  );
  const audiences = await read<{ conditions: string | null }>(
    attached('audiences', 'audience', 'i.conditions'),
  );
  const pages = await read<Omit<LivePage, 'conditions'> & { conditions: string | null }>(
    attached('pages', 'page', 'i.id, i.api_name, i.activation, i.conditions'),
  );
  const goals = await read<Omit<LiveGoal, 'conditions'> & { conditions: string | null }>(
    attached(
      'goals',
      'goal',
      'i.id, i.api_name, i.type, i.selector, p.conditions',
      'LEFT JOIN pages p ON p.id = i.page_id',
    ),
  );
  const environments = await read<{ id: number }>(attached('environments', 'environment', 'i.id'));
  return rows.map((row) => ({
    id: row.id,
    api_name: row.api_name,
    traffic: row.traffic_allocation,
    ...(row.traffic_in_ranges ? {} : { traffic_filter: true }),
    audiences_match_type: row.audiences_match_type,
    audiences: (audiences.get(row.id) ?? []).map(
      ({ conditions }) => conditionsIn(conditions) as ConditionTree | null,
    ),
    pages: (pages.get(row.id) ?? []).map(({ conditions, ...page }) => ({
      ...page,
      conditions: (conditionsIn(conditions) ?? []) as PageCondition[],
    })),
    environments: (environments.get(row.id) ?? []).map(({ id }) => id),
    goals: (goals.get(row.id) ?? []).map(({ conditions, ...goal }) => ({
      ...goal,
      conditions: conditionsIn(conditions) as PageCondition[] | null,
    })),
    js: codeIn(row.js),
    reset_js: codeIn(row.reset_js),
    css: codeIn(row.css),
    variations: liveVariations(row, variations.get(row.id) ?? [], failures),
  }));
}

function byExperiment<Row>(rows: readonly Attached<Row>[]): Map<number, Row[]> {
  const groups = groupBy(rows, ({ experiment_id }) => experiment_id);
  return new Map(
    [...groups].map(([id, own]) => [id, own.map(({ experiment_id: _, ...row }) => row as unknown as Row)]),
  );
}

/** Empty code is published in the same way as no code, so it is not a change. */
const codeIn = (text: string | null): string | null => (text === '' ? null : text);

/** Shares can be edited while an experiment is running, but they can be published only if they sum to 100. */
function liveVariations(
  { id, name }: ExperimentRow,
  rows: readonly Omit<VariationRow, 'experiment_id'>[],
  failures: Failures | null,
): LiveVariation[] {
  const percents = rows.map((row) => (row.traffic_allocation === null ? null : row.traffic_allocation / 100));
  if (!sharesAreComplete(percents)) {
    failures?.add(
      `experiments.${id}.variations`,
      `${name} (${id}) cannot be published: the traffic allocations of its variations sum to ${sumOfShares(percents)}, not 100.`,
    );
  }
  const shares = sharesInBasisPoints(percents);
  return rows.map(({ traffic_allocation: _, ...row }, index) => ({
    ...row,
    js: codeIn(row.js),
    css: codeIn(row.css),
    is_original: Boolean(row.is_original),
    share: shares[index],
  }));
}
