import type { EntityManager } from 'typeorm';
import type { Micros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { afterSeen, changeCounting } from './experiment-run.store';

/** Basis points by the ids of the live variations, in id order. */
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

/** The last phase of each experiment in a project, if it has one. */
export async function lastPhases(manager: EntityManager, projectId: number): Promise<Map<number, Phase>> {
  const rows: PhaseRow[] = await manager.query(
    `SELECT ${COLUMNS} FROM experiment_phases x
       JOIN experiments e ON e.id = x.experiment_id WHERE e.project_id = ? ORDER BY x.experiment_id, x.number`,
    [projectId],
  );
  return new Map(rows.map((row) => [row.experiment_id, toPhase(row)]));
}

/** Begins a phase, because an experiment goes live for the first time or with new shares. */
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
