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

/** The first run of an experiment began earlier than was known. */
export async function moveStart(tx: Tx, experimentId: number, startedAt: Micros, now: Micros): Promise<void> {
  const [first]: { id: number }[] = await tx.query(
    'SELECT id FROM experiment_runs WHERE experiment_id = ? ORDER BY started_at, id LIMIT 1',
    [experimentId],
  );
  await tx.query('UPDATE experiment_runs SET started_at = ? WHERE id = ?', [startedAt, first?.id]);
  await tx.query(
    'UPDATE experiments SET started_at = ?, updated_at = ?, version = version + 1 WHERE id = ?',
    [startedAt, now, experimentId],
  );
}
