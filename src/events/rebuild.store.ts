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

const OUTDATED = `FROM experiment_results r JOIN experiments e ON e.id = r.experiment_id WHERE ${IS_OUTDATED}`;

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

/** The first project with outdated results; null if there is none. */
export async function nextOutdatedProject(manager: EntityManager): Promise<number | null> {
  const rows: { project_id: number }[] = await manager.query(
    `SELECT e.project_id ${OUTDATED} ORDER BY e.project_id LIMIT 1`,
  );
  return rows[0]?.project_id ?? null;
}

/** A project's experiments with outdated results, sorted by id. */
export async function outdatedResults(manager: EntityManager, projectId: number): Promise<number[]> {
  const rows: { experiment_id: number }[] = await manager.query(
    `SELECT r.experiment_id ${OUTDATED} AND e.project_id = ? ORDER BY r.experiment_id`,
    [projectId],
  );
  return rows.map(({ experiment_id }) => experiment_id);
}

/** The progress of an experiment's rebuild, as text that changes with each step; null if there is no rebuild. */
export async function progressOf(manager: EntityManager, experimentId: number): Promise<string | null> {
  const rows: unknown[] = await manager.query(
    `SELECT rebuild_generation, rebuilt_to FROM experiment_results
      WHERE experiment_id = ? AND rebuild_generation IS NOT NULL`,
    [experimentId],
  );
  return rows.length === 0 ? null : JSON.stringify(rows[0]);
}
