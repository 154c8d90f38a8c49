import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DAY_MICROS, Micros, nowMicros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import type { Tx } from '../../database/database';
import { lockRows } from '../../database/row-store';
import { IS_OUTDATED } from '../rebuild.store';
import type { KeptFor } from './removal-limit';

/** A pass is due a day after the last one. A much later time was stored while a clock was ahead. */
const MAX_WAIT = 2 * DAY_MICROS;

/** A project whose old events are to be removed. */
export interface DueProject {
  projectId: number;
  days: number;
  /** Whether a pass with this retention period is in progress. */
  isUnderWay: boolean;
}

/** A pass in progress. */
export interface Pass {
  days: number;
  attributedAt: Micros;
  visitedTo: string;
}

interface KeptRow {
  id: number;
  archived_at: number | string | null;
  started_at: number | string | null;
  seen_from: number | string | null;
  seen_until: number | string | null;
  is_outdated: number | string;
}

interface PassRow {
  days: number;
  attributed_at: number | string | null;
  visited_to: string;
}

/**
 * Stores the progress of removing old events, and reads the properties of each experiment that determine which events
 * can be removed.
 */
@Injectable()
export class RetentionStore {
  /** The first project with a pass that is in progress or due. */
  async nextDue(manager: EntityManager): Promise<DueProject | null> {
    const now = nowMicros();
    const [row]: { id: number; wanted: number; days: number | null; attributed_at: unknown }[] =
      await manager.query(
        `SELECT s.id, s.event_retention_days AS wanted, r.days, r.attributed_at
           FROM project_settings s JOIN projects p ON p.id = s.id LEFT JOIN event_retention r ON r.project_id = s.id
          WHERE s.event_retention_days IS NOT NULL AND p.deleted_at IS NULL
            AND (r.project_id IS NULL OR r.attributed_at IS NOT NULL OR r.due_at <= ? OR r.due_at > ?
                 OR r.days <> s.event_retention_days)
          ORDER BY s.id LIMIT 1`,
        [now, now + MAX_WAIT],
      );
    return row === undefined
      ? null
      : {
          projectId: row.id,
          days: row.wanted,
          isUnderWay: row.attributed_at !== null && row.days === row.wanted,
        };
  }

  /** A project's current retention period in days; null if the project keeps its events forever. */
  async daysOf(tx: Tx, projectId: number): Promise<number | null> {
    const [row]: { event_retention_days: number | null }[] = await tx.query(
      'SELECT event_retention_days FROM project_settings WHERE id = ?',
      [projectId],
    );
    return row?.event_retention_days ?? null;
  }

  /** Begins a pass with the first visitor. */
  async begin(tx: Tx, { projectId, days }: DueProject, attributedAt: Micros): Promise<void> {
    await tx.query('DELETE FROM event_retention WHERE project_id = ?', [projectId]);
    await tx.query(
      `INSERT INTO event_retention (project_id, days, attributed_at, visited_to, due_at, lock_version)
       VALUES (?, ?, ?, '', ?, 0)`,
      [projectId, days, attributedAt, attributedAt],
    );
  }

  /** Locks and returns a project's pass; null if none is in progress. */
  async lock(tx: Tx, projectId: number): Promise<Pass | null> {
    await lockRows(tx, 'event_retention', 'project_id', [projectId]);
    const [row]: PassRow[] = await tx.query(
      'SELECT days, attributed_at, visited_to FROM event_retention WHERE project_id = ?',
      [projectId],
    );
    const attributedAt = numberOrNull(row?.attributed_at);
    return attributedAt === null ? null : { days: row.days, attributedAt, visitedTo: row.visited_to };
  }

  async advance(tx: Tx, projectId: number, visitedTo: string): Promise<void> {
    await tx.query('UPDATE event_retention SET visited_to = ? WHERE project_id = ?', [visitedTo, projectId]);
  }

  async finish(tx: Tx, projectId: number, dueAt: Micros): Promise<void> {
    await tx.query(
      "UPDATE event_retention SET attributed_at = NULL, visited_to = '', due_at = ? WHERE project_id = ?",
      [dueAt, projectId],
    );
  }

  /** All experiments of a project, including deleted experiments that can still be restored. */
  async experiments(tx: Tx, projectId: number): Promise<KeptFor[]> {
    const rows: KeptRow[] = await tx.query(
      `SELECT e.id, e.archived_at, r.seen_from, r.seen_until, CASE WHEN ${IS_OUTDATED} THEN 1 ELSE 0 END AS is_outdated,
              (SELECT MIN(started_at) FROM experiment_runs x WHERE x.experiment_id = e.id) AS started_at
         FROM experiments e LEFT JOIN experiment_results r ON r.experiment_id = e.id
        WHERE e.project_id = ? ORDER BY e.id`,
      [projectId],
    );
    return rows.map((row) => ({
      id: row.id,
      archivedAt: numberOrNull(row.archived_at),
      startedAt: numberOrNull(row.started_at),
      seenFrom: numberOrNull(row.seen_from),
      seenUntil: numberOrNull(row.seen_until),
      isCurrent: Number(row.is_outdated) === 0,
    }));
  }
}
