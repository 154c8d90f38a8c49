import type { EntityManager } from 'typeorm';

/** Scope of a rebuild. Without any id, it covers all results of the server. */
export interface RebuildScope {
  projectId?: number;
  experimentId?: number;
}

/**
 * SQL condition: the results `r` were counted under outdated rules and will be rebuilt. Results that have lost events
 * cannot be rebuilt, so they keep the rules under which they were counted.
 */
export const IS_OUTDATED = '(r.rules_version <> r.attribution_version AND r.events_removed_until IS NULL)';

/** Results that are outdated, or whose rebuild counts under outdated rules. */
const UNSETTLED = `FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id
  WHERE (${IS_OUTDATED} OR (r.rebuilt_to IS NOT NULL AND r.rebuild_version <> r.rules_version
         AND r.events_removed_until IS NULL))`;

const WITH_EVENTS = {
  any: '1 = 1',
  complete: 'r.events_removed_until IS NULL',
  removed: 'r.events_removed_until IS NOT NULL',
};

/**
 * The experiments with results, sorted by project and id.
 * @param events `complete` = results that still have all their events; `removed` = results that have lost events;
 *   `any` = all results
 */
export const resultsIn = (
  manager: EntityManager,
  { projectId, experimentId }: RebuildScope,
  events: keyof typeof WITH_EVENTS,
): Promise<{ project_id: number; id: number }[]> =>
  manager.query(
    `SELECT e.project_id, e.id FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id
      WHERE (? IS NULL OR e.project_id = ?) AND (? IS NULL OR e.id = ?)
        AND ${WITH_EVENTS[events]} ORDER BY e.project_id, e.id`,
    [projectId, projectId, experimentId, experimentId].map((id) => id ?? null),
  );

/** The first project with unsettled results; null if there is none. */
export async function nextUnsettledProject(manager: EntityManager): Promise<number | null> {
  const rows: { project_id: number }[] = await manager.query(
    `SELECT e.project_id ${UNSETTLED} ORDER BY e.project_id LIMIT 1`,
  );
  return rows[0]?.project_id ?? null;
}

/** A project's experiments with unsettled results, sorted by id. */
export async function unsettledResults(manager: EntityManager, projectId: number): Promise<number[]> {
  const rows: { experiment_id: number }[] = await manager.query(
    `SELECT r.experiment_id ${UNSETTLED} AND e.project_id = ? ORDER BY r.experiment_id`,
    [projectId],
  );
  return rows.map(({ experiment_id }) => experiment_id);
}

/** A rebuild of results that are current. */
export interface CurrentRebuild {
  projectId: number;
  experimentId: number;
  /** Text that changes with each step of the rebuild. */
  step: string;
}

/** Rebuilds of current results, sorted by project. The process that started such a rebuild may have ended. */
export async function currentRebuilds(manager: EntityManager): Promise<CurrentRebuild[]> {
  const rows: {
    project_id: number;
    experiment_id: number;
    rebuild_generation: number;
    rebuilt_to: string;
  }[] = await manager.query(
    `SELECT e.project_id, r.experiment_id, r.rebuild_generation, r.rebuilt_to
         FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id
        WHERE r.rebuilt_to IS NOT NULL AND r.rebuild_version = r.rules_version
          AND r.attribution_version = r.rules_version AND r.events_removed_until IS NULL
        ORDER BY e.project_id, r.experiment_id`,
  );
  return rows.map(({ project_id, experiment_id, rebuild_generation, rebuilt_to }) => ({
    projectId: project_id,
    experimentId: experiment_id,
    step: stepText(rebuild_generation, rebuilt_to),
  }));
}

/** Text that changes with each step of a rebuild. @param to the last visitor that was counted */
export const stepText = (generation: number, to: string): string => `${generation} ${to}`;

export interface RebuildProgress {
  /** The current generation of cells. */
  generation: number;
  /** Text that changes with each step of the rebuild; null if there is no rebuild. */
  step: string | null;
}

/** The progress of the rebuild of an experiment's results; null if there are no results. */
export async function progressOf(
  manager: EntityManager,
  experimentId: number,
): Promise<RebuildProgress | null> {
  const [row]: { generation: number; rebuild_generation: number | null; rebuilt_to: string | null }[] =
    await manager.query(
      'SELECT generation, rebuild_generation, rebuilt_to FROM experiment_results WHERE experiment_id = ?',
      [experimentId],
    );
  if (row === undefined) {
    return null;
  }
  const { generation, rebuild_generation, rebuilt_to } = row;
  return {
    generation,
    step:
      rebuild_generation === null || rebuilt_to === null ? null : stepText(rebuild_generation, rebuilt_to),
  };
}
