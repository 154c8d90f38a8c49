import type { EntityManager } from 'typeorm';
import { type Day, type Micros, MILLISECOND_MICROS, wholeMillisecond } from '../common/time/clock';
import { numberOrNull } from '../database/columns';
import type { Tx } from '../database/database';
import type { ExperimentStatus } from './experiment-status';

/** The share of each live variation in basis points, by variation id, in id order. */
export type PhaseShares = Readonly<Record<string, number>>;

export interface Phase {
  /** Counted from 1. */
  number: number;
  beganAt: Micros;
  shares: PhaseShares;
  /** Whether traffic was below 100 % (and above 0) at any time during the phase. */
  hasPartialTraffic: boolean;
}

interface PhaseRow {
  experiment_id: number;
  number: number;
  began_at: number | string;
  shares: string;
  has_partial_traffic: number | boolean;
}

const COLUMNS = 'x.experiment_id, x.number, x.began_at, x.shares, x.has_partial_traffic';

const toPhase = ({ number, began_at, shares, has_partial_traffic }: PhaseRow): Phase => ({
  number,
  beganAt: Number(began_at),
  shares: JSON.parse(shares) as PhaseShares,
  hasPartialTraffic: Boolean(has_partial_traffic),
});

/** The shares that determine phases. A variation with a share of 0 gets no visitors, so it is not live. */
export function phaseShares(variations: readonly { id: number; share: number }[]): PhaseShares {
  return Object.fromEntries(variations.filter(({ share }) => share > 0).map(({ id, share }) => [id, share]));
}

/** Integer keys are in ascending order, so equal shares are serialised identically. */
export const areSameShares = (a: PhaseShares, b: PhaseShares): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** The phases of an experiment, in order. */
export async function phasesOf(manager: EntityManager, experimentId: number): Promise<Phase[]> {
  const rows: PhaseRow[] = await manager.query(
    `SELECT ${COLUMNS} FROM experiment_phases x WHERE x.experiment_id = ? ORDER BY x.number`,
    [experimentId],
  );
  return rows.map(toPhase);
}

/** The last phase of each experiment in a project. Experiments without a phase are omitted. */
export async function lastPhases(manager: EntityManager, projectId: number): Promise<Map<number, Phase>> {
  const rows: PhaseRow[] = await manager.query(
    `SELECT ${COLUMNS} FROM experiment_phases x
       JOIN experiments e ON e.id = x.experiment_id WHERE e.project_id = ? ORDER BY x.experiment_id, x.number`,
    [projectId],
  );
  return new Map(rows.map((row) => [row.experiment_id, toPhase(row)]));
}

/** Begins a phase when an experiment goes live for the first time or with new shares. */
export async function beginPhase(
  tx: Tx,
  experimentId: number,
  { number, shares, hasPartialTraffic }: Omit<Phase, 'beganAt'>,
  now: Micros,
): Promise<void> {
  const beganAt = afterSeen(now, await changeCounting(tx, experimentId));
  await tx.query(
    'INSERT INTO experiment_phases (experiment_id, number, began_at, shares, has_partial_traffic) VALUES (?, ?, ?, ?, ?)',
    [experimentId, number, beganAt, JSON.stringify(shares), Number(hasPartialTraffic)],
  );
}

/** Records that traffic was lowered within a phase. */
export async function notePartialTraffic(tx: Tx, experimentId: number, number: number): Promise<void> {
  await tx.query(
    'UPDATE experiment_phases SET has_partial_traffic = ? WHERE experiment_id = ? AND number = ?',
    [1, experimentId, number],
  );
}

/** The plan of an experiment, as fixed at its first start. */
export interface FixedPlan {
  /** The planned number of participants in all variations together. */
  participants: number;
  /** The planned last day; null if there is none. */
  end_day: Day | null;
  /** The day on which the plan was removed; null while it is in force. */
  removed_day: Day | null;
  min_conversions: number;
  min_runtime_days: number;
  goal_comparisons: number | null;
  guardrail_comparisons: number | null;
}

/** SQL for the number of comparisons with the original, as `sizeOfFamily` counts them; null if there are none. */
const comparisons = (isGuardrail: 0 | 1): string =>
  `NULLIF((SELECT COUNT(*) FROM experiment_goals WHERE experiment_id = e.id AND is_guardrail = ${isGuardrail})
     * (SELECT COUNT(*) - 1 FROM variations WHERE experiment_id = e.id), 0)`;

/**
 * Fixes an experiment's plan, if there is one, when the experiment first starts. Also stores the project's minimum
 * conversions and minimum runtime, and the numbers of comparisons.
 */
export async function fixPlan(tx: Tx, experimentId: number): Promise<void> {
  await tx.query(
    `INSERT INTO experiment_plans (experiment_id, participants, end_day, removed_day, min_conversions, min_runtime_days,
                                   goal_comparisons, guardrail_comparisons)
     SELECT e.id, e.planned_participants, e.planned_end, NULL, p.min_conversions, p.min_runtime_days,
            ${comparisons(0)}, ${comparisons(1)}
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
    `SELECT participants, end_day, removed_day, min_conversions, min_runtime_days, goal_comparisons, guardrail_comparisons
       FROM experiment_plans WHERE experiment_id = ?`,
    [experimentId],
  );
  return row ?? null;
}

/**
 * Records in an experiment's results row that the experiment's counting rules change. Attribution locks the same row,
 * so it is known which events were attributed before the change.
 * @returns the time of the latest attributed event; null if there is none
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
 * and a change takes time. If a change comes after all attributed events, no recount is needed. The returned time is in
 * a later millisecond than those events, because the millisecond in which a run begins belongs to the run.
 */
const afterSeen = (now: Micros, seenUntil: Micros | null): Micros =>
  seenUntil === null || seenUntil < wholeMillisecond(now)
    ? now
    : wholeMillisecond(seenUntil) + MILLISECOND_MICROS;

/** Begins a run of an experiment. */
export async function openRun(tx: Tx, experimentId: number, now: Micros): Promise<void> {
  const startedAt = afterSeen(now, await changeCounting(tx, experimentId));
  await tx.query('INSERT INTO experiment_runs (experiment_id, started_at, ended_at) VALUES (?, ?, NULL)', [
    experimentId,
    startedAt,
  ]);
}

/**
 * Ends an experiment's current run, if any. Always records a change of the counting rules, because archiving and
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

/** Moves the start of an experiment to an earlier time, together with the start of its first run and first phase. */
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

/**
 * Whether any of the experiment's events were removed, in which case its results cannot be recounted. Only archived
 * experiments can lose events.
 */
export async function hasLostEvents(
  manager: EntityManager,
  { id, status }: { id: number; status: ExperimentStatus },
): Promise<boolean> {
  if (status !== 'archive') {
    return false;
  }
  const rows: unknown[] = await manager.query(
    'SELECT 1 FROM experiment_results WHERE experiment_id = ? AND events_removed_until IS NOT NULL',
    [id],
  );
  return rows.length > 0;
}
