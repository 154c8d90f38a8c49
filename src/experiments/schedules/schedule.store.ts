import { Injectable } from '@nestjs/common';
import type { Role } from '../../platform/access/roles';
import { formatMicros, Micros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import type { ScheduledMoment } from '../schedule';

/** A scheduled time that is due. */
export interface DueMoment {
  projectId: number;
  experimentId: number;
  moment: ScheduledMoment;
  /** As formatted in the experiment record. */
  at: string;
}

/** A user, as a member of a project's team. */
export interface ScheduleMember {
  name: string;
  isDisabled: boolean;
  /** Null for a user who is not a member. */
  role: Role | null;
}

/** The database queries for schedules. */
@Injectable()
export class ScheduleStore {
  constructor(private readonly database: Database) {}

  /** The scheduled times that are due, earliest first. */
  async due(now: Micros): Promise<DueMoment[]> {
    type Row = {
      project_id: number;
      experiment_id: number;
      moment: ScheduledMoment;
      due_at: number | string;
    };
    const rows: Row[] = await this.database.read.query(
      `${dueSql('starts_at')} UNION ALL ${dueSql('ends_at')} ORDER BY due_at, experiment_id`,
      [now, now],
    );
    return rows.map(({ project_id, experiment_id, moment, due_at }) => ({
      projectId: project_id,
      experimentId: experiment_id,
      moment,
      at: formatMicros(Number(due_at)),
    }));
  }

  /** The user's membership; null if there is no such user. */
  async member(tx: Tx, userId: number, projectId: number): Promise<ScheduleMember | null> {
    const [row]: { name: string; disabled_at: unknown; role: Role | null }[] = await tx.query(
      `SELECT u.name, u.disabled_at, m.role FROM users u
         LEFT JOIN memberships m
           ON m.user_id = u.id AND m.team_id = (SELECT team_id FROM projects WHERE id = ?)
        WHERE u.id = ?`,
      [projectId, userId],
    );
    return row === undefined
      ? null
      : { name: row.name, isDisabled: row.disabled_at !== null, role: row.role };
  }

  /** Whether the token exists and has not expired. */
  async isTokenValid(tx: Tx, tokenId: number, now: Micros): Promise<boolean> {
    const rows: object[] = await tx.query(
      'SELECT id FROM api_tokens WHERE id = ? AND (expires_at IS NULL OR expires_at > ?)',
      [tokenId, now],
    );
    return rows.length > 0;
  }
}

const dueSql = (moment: ScheduledMoment): string =>
  `SELECT e.project_id, e.id AS experiment_id, '${moment}' AS moment, e.${moment} AS due_at
     FROM experiments e JOIN projects p ON p.id = e.project_id
    WHERE e.${moment} <= ? AND e.deleted_at IS NULL AND p.deleted_at IS NULL`;
