import type { EntityManager } from 'typeorm';
import type { Micros } from '../../common/time/clock';
import type { Tx } from '../../database/database';
import { LATE_MICROS } from '../../common/limits';

/** Whether a conversion for the goal has ever been collected. */
export async function hasConversions(manager: EntityManager, goalId: number): Promise<boolean> {
  const sql = 'SELECT goal_id FROM collected_goals WHERE goal_id = ?';
  const goals: unknown[] = await manager.query(sql, [goalId]);
  return goals.length > 0;
}

/** Records again that a restored goal has conversions, if results contain any. The events are too many to search. */
export async function restoreConversionsOf(tx: Tx, projectId: number, goalId: number): Promise<void> {
  const counted: unknown[] = await tx.query(
    `SELECT e.id FROM experiments e JOIN experiment_results r ON r.experiment_id = e.id
      WHERE e.project_id = ? AND EXISTS (
        SELECT 1 FROM entry_cells c
         WHERE c.experiment_id = e.id AND c.generation = r.generation AND c.goal_id = ?) LIMIT 1`,
    [projectId, goalId],
  );
  if (counted.length > 0) {
    await tx.query('INSERT INTO collected_goals (goal_id) VALUES (?)', [goalId]);
  }
}

/**
 * Records that the counting rules may have changed for all results in a project. Cells that were counted by different
 * rules are rebuilt.
 */
export async function changeCountingInProject(tx: Tx, projectId: number): Promise<void> {
  await tx.query(
    `UPDATE experiment_results SET rules_version = rules_version + 1, version = version + 1
      WHERE experiment_id IN (SELECT id FROM experiments WHERE project_id = ?)`,
    [projectId],
  );
}

/** Increments the result versions of all experiments to which the goal is attached. */
export async function countUpResultsOf(tx: Tx, goalId: number): Promise<void> {
  await tx.query(
    `UPDATE experiment_results SET version = version + 1
      WHERE experiment_id IN (SELECT experiment_id FROM experiment_goals WHERE goal_id = ?)`,
    [goalId],
  );
}

/**
 * Records a manual change to all final results that contain conversions for the goal.
 * @param isRecount whether the change takes effect only through a recount, which requires the events
 */
export async function noteRevisionsOf(
  tx: Tx,
  goalId: number,
  now: Micros,
  isRecount: boolean,
): Promise<void> {
  await tx.query(
    `UPDATE experiment_results SET revised_at = ?
      WHERE experiment_id IN (
              SELECT j.experiment_id FROM experiment_goals j JOIN experiments e ON e.id = j.experiment_id
               WHERE j.goal_id = ? AND e.archived_at <= ?)
        AND EXISTS (SELECT 1 FROM entry_cells c
                     WHERE c.experiment_id = experiment_results.experiment_id
                       AND c.generation = experiment_results.generation AND c.goal_id = ?)
        ${isRecount ? 'AND events_removed_until IS NULL' : ''}`,
    [now, goalId, now - LATE_MICROS, goalId],
  );
}
