import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { lineOf } from '../../database/columns';
import { Database, Tx } from '../../database/database';
import { ignoringDuplicates } from '../../database/dialect';
import { lockRows, placeholders } from '../../database/row-store';
import type { GuardrailTrip } from '../../experiments/experiment.entity';
import { notedTrips } from '../guardrail-trips';
import { type ReportedState, WITHOUT_DATA } from './reported-state';
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
  /** Whether nothing has been checked yet, although a webhook has awaited results since before the experiment started. */
  isNew: boolean;
  /** The lock version of the reported state. */
  lockVersion: number;
}

interface WatchedRow {
  experiment_id: number;
  project_id: number;
  version: number;
  status: string;
  guardrail_action: string;
  is_new: number | string;
  lock_version: number | string | null;
}

/** The time of the last check of a state that contains no results. */
const NEVER = 0;

/** Maximum number of states created or forgotten in one transaction. */
const MOST_STATES = 500;

const EVENTS = ['experiment.verdict', 'experiment.sample_ratio_mismatch', 'experiment.guardrail'];

/** The active webhooks that are notified of an experiment's results. */
const SUBSCRIBERS = `SELECT 1 FROM webhooks w WHERE w.project_id = e.project_id AND w.is_active = 1
                        AND (${EVENTS.map(() => 'INSTR(w.events, ?) > 0').join(' OR ')})`;

/**
 * Experiments that have not been checked and that started after a subscriber was last changed, for example activated.
 * Their first data may arrive before `noteWithoutData` notices them.
 */
const IS_NEW = `COALESCE(t.checked_at, ${NEVER}) = ${NEVER} AND EXISTS (${SUBSCRIBERS} AND w.updated_at < e.started_at)`;

const DUE = `SELECT e.id AS experiment_id, e.project_id, e.status, e.guardrail_action, r.version, t.lock_version,
                    CASE WHEN ${IS_NEW} THEN 1 ELSE 0 END AS is_new
               FROM experiments e
               JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
               JOIN experiment_results r ON r.experiment_id = e.id
               LEFT JOIN told_results t ON t.experiment_id = e.id
              WHERE e.deleted_at IS NULL
                AND EXISTS (${SUBSCRIBERS})
                AND (t.experiment_id IS NULL OR t.checked_at <= ?
                     OR (t.checked_version <> r.version AND t.checked_at <= ?) OR t.checked_at >= ?)`;

@Injectable()
export class ToldResultsStore {
  constructor(private readonly database: Database) {}

  /**
   * Experiments that are due for a check and whose results are reported to webhooks, the least recently checked first.
   * @param changedBefore an experiment that has changed since its last check is due if that check was before this time
   * @param anyBefore any experiment is due if its last check was before this time, because verdicts also depend on time
   * and on rules
   * @param anyAfter any experiment is due if its last check was after this time, because its clock was ahead
   * @param skipped experiments to skip for now
   */
  async due(
    { changedBefore, anyBefore, anyAfter }: Record<'changedBefore' | 'anyBefore' | 'anyAfter', Micros>,
    skipped: readonly number[],
    limit: number,
  ): Promise<Watched[]> {
    const others = skipped.length === 0 ? '' : `AND e.id NOT IN (${placeholders(skipped.length)})`;
    const rows: WatchedRow[] = await this.database.read.query(
      `${DUE} ${others} ORDER BY t.checked_at, e.id LIMIT ${limit}`,
      [...EVENTS.map(lineOf), ...EVENTS.map(lineOf), anyBefore, changedBefore, anyAfter, ...skipped],
    );
    return rows.map(toWatched);
  }

  /**
   * Stores the state of experiments without data whose results are reported to webhooks. Their first data may contain a
   * mismatch or a verdict, which must be reported as a change.
   */
  async noteWithoutData(now: Micros): Promise<void> {
    const rows: { id: number }[] = await this.database.read.query(
      `SELECT e.id FROM experiments e JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
        WHERE e.deleted_at IS NULL AND EXISTS (${SUBSCRIBERS})
          AND NOT EXISTS (SELECT 1 FROM experiment_results r WHERE r.experiment_id = e.id)
          AND NOT EXISTS (SELECT 1 FROM told_results t WHERE t.experiment_id = e.id) LIMIT ${MOST_STATES}`,
      EVENTS.map(lineOf),
    );
    if (rows.length > 0) {
      const duplicates = ignoringDuplicates(this.database.engine, 'experiment_id');
      await this.database.transaction((tx) =>
        tx.query(
          `INSERT INTO told_results (experiment_id, told, checked_version, checked_at)
           SELECT e.id, ?, 0, ? FROM experiments e WHERE e.id IN (${placeholders(rows.length)}) ${duplicates}`,
          [JSON.stringify(WITHOUT_DATA), now, ...rows.map(({ id }) => id)],
        ),
      );
    }
  }

  /**
   * Forgets results that are no longer kept up to date, because no webhook is notified of them. The next webhook is then
   * notified only of changes after its first check. Only trips that were sent are kept.
   */
  async forgetUnwatched(): Promise<void> {
    const unwatched: Pick<ToldResult, 'experiment_id'>[] = await this.database.read.query(
      `SELECT t.experiment_id FROM told_results t JOIN experiments e ON e.id = t.experiment_id
        WHERE t.checked_at > ${NEVER} AND NOT EXISTS (${SUBSCRIBERS}) LIMIT ${MOST_STATES}`,
      EVENTS.map(lineOf),
    );
    if (unwatched.length > 0) {
      const ids = unwatched.map(({ experiment_id }) => experiment_id);
      await this.database.transaction((tx) => forget(tx, ids));
    }
  }

  /**
   * Locks the reported state of an experiment until the transaction ends, and creates it if necessary. @returns the
   * state, and its lock version before this lock
   */
  async lock(tx: Tx, experimentId: number): Promise<{ state: ReportedState; previousVersion: number }> {
    await tx.query(
      `INSERT INTO told_results (experiment_id, told, checked_version, checked_at) VALUES (?, '{}', 0, ${NEVER})
       ${ignoringDuplicates(this.database.engine, 'experiment_id')}`,
      [experimentId],
    );
    await lockRows(tx, 'told_results', 'experiment_id', [experimentId]);
    const [row]: { told: string; lock_version: number | string }[] = await tx.query(
      'SELECT told, lock_version FROM told_results WHERE experiment_id = ?',
      [experimentId],
    );
    return { state: stateIn(row.told), previousVersion: Number(row.lock_version) - 1 };
  }

  /** Stores the state after a check; it must be locked. */
  async store(tx: Tx, { experimentId, version }: Watched, state: ReportedState, now: Micros): Promise<void> {
    await tx.query(
      'UPDATE told_results SET told = ?, checked_version = ?, checked_at = ? WHERE experiment_id = ?',
      [JSON.stringify(state), version, now, experimentId],
    );
  }

  /** Adds trips that were sent to a locked state. */
  async addSent(
    tx: Tx,
    experimentId: number,
    state: ReportedState,
    added: readonly GuardrailTrip[],
  ): Promise<void> {
    await tx.query('UPDATE told_results SET told = ? WHERE experiment_id = ?', [
      JSON.stringify({ ...state, sent: notedTrips(state.sent, added) }),
      experimentId,
    ]);
  }
}

const toWatched = (row: WatchedRow): Watched => ({
  experimentId: row.experiment_id,
  projectId: row.project_id,
  version: row.version,
  reportsTrips: row.status === 'running' && row.guardrail_action === 'none',
  isNew: Number(row.is_new) === 1,
  lockVersion: Number(row.lock_version ?? 0),
});

/** Resets states to the trips that were sent, and deletes states without such trips. */
async function forget(tx: Tx, ids: readonly number[]): Promise<void> {
  await lockRows(tx, 'told_results', 'experiment_id', ids);
  const rows: Pick<ToldResult, 'experiment_id' | 'told'>[] = await tx.query(
    `SELECT experiment_id, told FROM told_results WHERE experiment_id IN (${placeholders(ids.length)})`,
    [...ids],
  );
  for (const { experiment_id, told } of rows) {
    const { sent } = stateIn(told);
    await (sent.length === 0
      ? tx.query('DELETE FROM told_results WHERE experiment_id = ?', [experiment_id])
      : tx.query(`UPDATE told_results SET told = ?, checked_at = ${NEVER} WHERE experiment_id = ?`, [
          JSON.stringify({ ...UNKNOWN, sent }),
          experiment_id,
        ]));
  }
}

/** The state before the first check. */
const UNKNOWN: ReportedState = { results: null, sent: [], seen: null };

/** Earlier versions stored the results in other fields, so the next check counts as the first one. */
const stateIn = (told: string): ReportedState => ({
  ...UNKNOWN,
  ...(JSON.parse(told) as Partial<ReportedState>),
});
