import type { Micros } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import type { Tx } from '../database/database';

const MILLISECOND = 1_000;

/**
 * Marks in an experiment's results row that its counting rules change. Attribution locks the same row, so the events
 * that it attributed before the change are known.
 * @returns the latest event that was attributed; null if there is none
 */
export async function changeCounting(tx: Tx, experimentId: number): Promise<Micros | null> {
  await tx.query('UPDATE experiment_results SET rules_version = rules_version + 1 WHERE experiment_id = ?', [
    experimentId,
  ]);
  const [row]: { seen_until: number | string | null }[] = await tx.query(
    'SELECT seen_until FROM experiment_results WHERE experiment_id = ?',
    [experimentId],
  );
  return numberOrNull(row?.seen_until);
}

/**
 * The time of a change: now, or just after the latest attributed event if that is later, because server clocks differ
 * and a change takes time. A change after all attributed events requires no recount. The time is in a later
 * millisecond, because the millisecond in which a run begins belongs to the run.
 */
export const afterSeen = (now: Micros, seenUntil: Micros | null): Micros =>
  seenUntil === null || seenUntil < now - (now % MILLISECOND)
    ? now
    : seenUntil - (seenUntil % MILLISECOND) + MILLISECOND;

/** Begins a run of an experiment. */
export async function openRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  const startedAt = afterSeen(now, await changeCounting(tx, experimentId));
  await tx.query('INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, ?, NULL)', [
    experimentId,
    startedAt,
  ]);
}

/**
 * Ends an experiment's current run, if any. Always marks that its counting rules change, because archiving and
 * restoring also change them.
 */
export async function closeRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  const seenUntil = await changeCounting(tx, experimentId);
  const endedAt = seenUntil === null || seenUntil < now ? now : seenUntil + 1;
  await tx.query('UPDATE experiment_runs SET ended_at = ? WHERE experiment_id = ? AND ended_at IS NULL', [
    endedAt,
    experimentId,
  ]);
}

/** Moves the start of an experiment, its first run and its first phase to an earlier time. */
export async function moveStart(tx: Tx, experimentId: number, startedAt: Micros, now: Micros): Promise<void> {
  const [first]: { id: number }[] = await tx.query(
    'SELECT id FROM experiment_runs WHERE experiment_id = ? ORDER BY started_at, id LIMIT 1',
    [experimentId],
  );
  await changeCounting(tx, experimentId);
  await tx.query('UPDATE experiment_runs SET started_at = ? WHERE id = ?', [startedAt, first?.id]);
  await tx.query('UPDATE experiment_phases SET began_at = ? WHERE experiment_id = ? AND number = 1', [
    startedAt,
    experimentId,
  ]);
  await tx.query(
    'UPDATE experiments SET started_at = ?, updated_at = ?, version = version + 1 WHERE id = ?',
    [startedAt, now, experimentId],
  );
}

/** Whether events of the experiment were removed, so its results cannot be recounted. */
export async function hasLostEvents(tx: Tx, experimentId: number): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    'SELECT 1 FROM experiment_results WHERE experiment_id = ? AND events_removed_until IS NOT NULL',
    [experimentId],
  );
  return rows.length > 0;
}
