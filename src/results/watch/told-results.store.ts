import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { lineOf } from '../../database/columns';
import { Database, Tx } from '../../database/database';
import { ignoringDuplicates } from '../../database/dialect';
import { countRows, lockRows } from '../../database/row-locks';
import { placeholders } from '../../database/row-store';
import type { GuardrailTrip } from '../../experiments/experiment.entity';
import { newTrips, notedTrips } from '../guardrail-trips';
import type { ReportedState } from './reported-state';
import type { ToldResult } from './told-result.entity';

/** An experiment whose results may have changed since the last check. */
export interface Watched {
  experimentId: number;
  projectId: number;
  version: number;
  /**
   * Whether the experiment is running with guardrails that do not pause it. Guardrails that pause the experiment are
   * reported together with the pause.
   */
  reportsTrips: boolean;
  /** Null before the first check. */
  told: { state: ReportedState; lockVersion: number } | null;
}

interface WatchedRow {
  experiment_id: number;
  project_id: number;
  version: number;
  status: string;
  guardrail_action: string;
  told: string | null;
  lock_version: number | string;
}

/** Maximum number of states deleted in one transaction. */
const MOST_DELETED = 500;

const EVENTS = ['experiment.verdict', 'experiment.sample_ratio_mismatch', 'experiment.guardrail'];

/** The active webhooks that are notified of an experiment's results. */
const SUBSCRIBERS = `SELECT 1 FROM webhooks w WHERE w.project_id = e.project_id AND w.is_active = 1
                        AND (${EVENTS.map(() => 'INSTR(w.events, ?) > 0').join(' OR ')})`;

const DUE = `SELECT e.id AS experiment_id, e.project_id, e.status, e.guardrail_action, r.version, t.told, t.lock_version
               FROM experiments e
               JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
               JOIN experiment_results r ON r.experiment_id = e.id
               LEFT JOIN told_results t ON t.experiment_id = e.id
              WHERE e.deleted_at IS NULL
                AND EXISTS (${SUBSCRIBERS})
                AND (t.experiment_id IS NULL OR t.checked_at <= ?
                     OR (t.checked_version <> r.version AND t.checked_at <= ?))`;

@Injectable()
export class ToldResultsStore {
  constructor(private readonly database: Database) {}

  /**
   * Experiments that are due for a check and whose results are reported to webhooks, the least recently checked first.
   * @param changedBefore an experiment that has changed since its last check is due if that check was before this time
   * @param anyBefore any experiment is due if its last check was before this time, because verdicts also depend on time
   * and on rules
   * @param skipped experiments to skip for now
   */
  async due(
    { changedBefore, anyBefore }: { changedBefore: Micros; anyBefore: Micros },
    skipped: readonly number[],
    limit: number,
  ): Promise<Watched[]> {
    const others = skipped.length === 0 ? '' : `AND e.id NOT IN (${placeholders(skipped.length)})`;
    const rows: WatchedRow[] = await this.database.read.query(
      `${DUE} ${others} ORDER BY t.checked_at, e.id LIMIT ${limit}`,
      [...EVENTS.map(lineOf), anyBefore, changedBefore, ...skipped],
    );
    return rows.map(
      ({ experiment_id, project_id, version, status, guardrail_action, told, lock_version }) => ({
        experimentId: experiment_id,
        projectId: project_id,
        version,
        reportsTrips: status === 'running' && guardrail_action === 'none',
        told: told === null ? null : { state: stateIn(told), lockVersion: Number(lock_version) },
      }),
    );
  }

  /**
   * Deletes states that are no longer kept up to date, because no webhook is notified of them. The next webhook is then
   * notified only of changes after its first check.
   */
  async deleteUnwatched(): Promise<void> {
    const unwatched: Pick<ToldResult, 'experiment_id'>[] = await this.database.read.query(
      `SELECT t.experiment_id FROM told_results t JOIN experiments e ON e.id = t.experiment_id
        WHERE NOT EXISTS (${SUBSCRIBERS}) LIMIT ${MOST_DELETED}`,
      EVENTS.map(lineOf),
    );
    if (unwatched.length > 0) {
      const ids = unwatched.map(({ experiment_id }) => experiment_id);
      await this.database.transaction((tx) =>
        tx.query(`DELETE FROM told_results WHERE experiment_id IN (${placeholders(ids.length)})`, ids),
      );
    }
  }

  /**
   * Stores the reported state. @returns false if a different process has stored a state since the previous state was
   * read
   */
  async store(
    tx: Tx,
    { experimentId, version, told }: Watched,
    state: ReportedState,
    now: Micros,
  ): Promise<boolean> {
    if (told === null) {
      const duplicates = ignoringDuplicates(this.database.engine, 'experiment_id');
      await tx.query(
        `INSERT INTO told_results (experiment_id, told, checked_version, checked_at) VALUES (?, ?, ?, ?) ${duplicates}`,
        [experimentId, JSON.stringify(state), version, now],
      );
      return true;
    }
    const found = await countRows(
      tx,
      `UPDATE told_results SET told = ?, checked_version = ?, checked_at = ?, lock_version = lock_version + 1
        WHERE experiment_id = ? AND lock_version = ?`,
      [JSON.stringify(state), version, now, experimentId, told.lockVersion],
    );
    return found > 0;
  }

  /**
   * Notes trips that a pause reports, if the experiment is watched, so that no other check reports them again.
   * @returns the trips that have not been reported before
   */
  async noteTrips<T extends GuardrailTrip>(tx: Tx, experimentId: number, trips: readonly T[]): Promise<T[]> {
    await lockRows(tx, 'told_results', 'experiment_id', [experimentId]);
    const [row]: Pick<ToldResult, 'told'>[] = await tx.query(
      'SELECT told FROM told_results WHERE experiment_id = ?',
      [experimentId],
    );
    if (row === undefined) {
      return [...trips];
    }
    const state = stateIn(row.told);
    const added = newTrips(trips, state.trips);
    const noted = { ...state, trips: notedTrips(state.trips, added) };
    await tx.query('UPDATE told_results SET told = ? WHERE experiment_id = ?', [
      JSON.stringify(noted),
      experimentId,
    ]);
    return added;
  }
}

/** States stored by earlier versions may lack the trips. */
type StoredState = Omit<ReportedState, 'trips' | 'earlier'> & Partial<ReportedState>;

const stateIn = (told: string): ReportedState => ({
  trips: [],
  earlier: [],
  ...(JSON.parse(told) as StoredState),
});
