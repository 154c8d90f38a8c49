import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';

const MILLISECOND = 1_000;

/**
 * Announces in the row of an experiment's results that what counts in them changes. Attribution locks the same row, so
 * what it attributed before is known.
 * @returns the latest event that was attributed; null without any
 */
export async function changeCounting(tx: Tx, experimentId: number): Promise<Micros | null> {
  await tx.query('UPDATE experiment_results SET rules_version = rules_version + 1 WHERE experiment_id = ?', [
    experimentId,
  ]);
  const [row]: { seen_until: number | string | null }[] = await tx.query(
    'SELECT seen_until FROM experiment_results WHERE experiment_id = ?',
    [experimentId],
  );
  return row === undefined || row.seen_until === null ? null : Number(row.seen_until);
}

/**
 * A moment for a change, now unless events were attributed that happened later: servers' clocks differ, and a change
 * takes a moment. Where the change lies after all that was attributed, nothing has to be counted again. The moment is
 * in a later millisecond, since the one in which a run begins is part of it.
 */
export const afterSeen = (now: Micros, seenUntil: Micros | null): Micros =>
  seenUntil === null || seenUntil < now - (now % MILLISECOND)
    ? now
    : seenUntil - (seenUntil % MILLISECOND) + MILLISECOND;

/** An experiment begins to run. */
export async function openRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  const startedAt = afterSeen(now, await changeCounting(tx, experimentId));
  await tx.query('INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, ?, NULL)', [
    experimentId,
    startedAt,
  ]);
}

/** An experiment runs no longer, if it did; or goes to the archive or comes from there. */
export async function closeRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  const seenUntil = await changeCounting(tx, experimentId);
  const endedAt = seenUntil === null || seenUntil < now ? now : seenUntil + 1;
  await tx.query('UPDATE experiment_runs SET ended_at = ? WHERE experiment_id = ? AND ended_at IS NULL', [
    endedAt,
    experimentId,
  ]);
}

/** Moves the start of an experiment's first run back. */
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
