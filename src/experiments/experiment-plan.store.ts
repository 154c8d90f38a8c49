import type { EntityManager } from 'typeorm';
import type { Day } from '../common/time/clock';
import type { Tx } from '../database/database';

/** The plan of an experiment, as fixed at its first start. */
export interface FixedPlan {
  /** Planned participants of all variations together. */
  participants: number;
  /** The planned last day; null if there is none. */
  end_day: Day | null;
  /** The day on which the plan was removed; null while it is in force. */
  removed_day: Day | null;
  min_conversions: number;
  min_runtime_days: number;
}

/**
 * Fixes an experiment's plan, if it has one, at its first start, together with the project's minimum conversions and
 * minimum runtime.
 */
export async function fixPlan(tx: Tx, experimentId: number): Promise<void> {
  await tx.query(
    `INSERT INTO experiment_plans (experiment_id, participants, end_day, removed_day, min_conversions, min_runtime_days)
     SELECT e.id, e.planned_participants, e.planned_end, NULL, p.min_conversions, p.min_runtime_days
       FROM experiments e JOIN projects p ON p.id = e.project_id
      WHERE e.id = ? AND e.planned_participants IS NOT NULL`,
    [experimentId],
  );
}

/** Ends a fixed plan permanently. The plan still applies to earlier days. */
export async function removePlan(tx: Tx, experimentId: number, today: Day): Promise<void> {
  await tx.query(
    'UPDATE experiment_plans SET removed_day = ? WHERE experiment_id = ? AND removed_day IS NULL',
    [today, experimentId],
  );
}

/**
 * The plan of an experiment, even after its removal; null if the experiment started without a plan or never started.
 */
export async function fixedPlanOf(manager: EntityManager, experimentId: number): Promise<FixedPlan | null> {
  const [row]: FixedPlan[] = await manager.query(
    `SELECT participants, end_day, removed_day, min_conversions, min_runtime_days
       FROM experiment_plans WHERE experiment_id = ?`,
    [experimentId],
  );
  return row ?? null;
}
