import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';

/** An experiment begins to run. */
export async function openRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  await tx.query('INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, ?, NULL)', [
    experimentId,
    now,
  ]);
}

/** An experiment runs no longer, if it did. */
export async function closeRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  await tx.query('UPDATE experiment_runs SET ended_at = ? WHERE experiment_id = ? AND ended_at IS NULL', [
    now,
    experimentId,
  ]);
}
