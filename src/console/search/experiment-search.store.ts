import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { entriesOfLines, lineOf } from '../../database/columns';
import { allOf, type Condition, foldedContains } from '../../database/dialect';
import { Database } from '../../database/database';
import type { ExperimentStatus } from '../../experiments/experiment-status';
import type { SearchRequest } from './search-request';

/** A team or a user to filter by. */
export interface Choice {
  id: number;
  name: string;
}

/** An experiment in the search result. */
export interface FoundExperiment {
  id: number;
  name: string;
  status: ExperimentStatus;
  tags: string[];
  project: Choice;
  team: Choice;
  /** The name of the user who created the experiment; null if no user did. */
  creator: string | null;
  updatedAt: Micros;
}

interface StoredRow {
  id: number;
  name: string;
  status: ExperimentStatus;
  tags: string;
  project_id: number;
  project_name: string;
  team_id: number;
  team_name: string;
  creator: string | null;
  updated_at: number | string;
}

/** SQL for the experiments that are not deleted, in all projects that a user may see. */
const VISIBLE = `memberships m
  JOIN teams t ON t.id = m.team_id
  JOIN projects p ON p.team_id = t.id AND p.deleted_at IS NULL
  JOIN experiments e ON e.project_id = p.id AND e.deleted_at IS NULL`;

/** SQL condition: the audit log entry `c` records the creation of the experiment `e`. */
const CREATION = `c.project_id = e.project_id AND c.item_type = 'experiment' AND c.item_id = e.id
  AND c.action IN ('create', 'clone')`;

/** Searches all experiments that a user may see. */
@Injectable()
export class ExperimentSearchStore {
  constructor(private readonly database: Database) {}

  async count(userId: number, request: SearchRequest): Promise<number> {
    const { sql, parameters } = matching(userId, request);
    const [{ total }]: { total: number | string }[] = await this.database.read.query(
      `SELECT COUNT(*) AS total FROM ${VISIBLE} WHERE ${sql}`,
      parameters,
    );
    return Number(total);
  }

  /** One page of the result, most recently changed experiments first. */
  async slice(
    userId: number,
    request: SearchRequest,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<FoundExperiment[]> {
    const { sql, parameters } = matching(userId, request);
    const rows: StoredRow[] = await this.database.read.query(
      `SELECT e.*, (SELECT u.name FROM audit_entries c JOIN users u ON u.id = c.user_id
                     WHERE ${CREATION} ORDER BY c.id LIMIT 1) AS creator
         FROM (SELECT e.id, e.name, e.status, e.tags, e.updated_at, e.project_id, p.name AS project_name,
                      t.id AS team_id, t.name AS team_name
                 FROM ${VISIBLE} WHERE ${sql}
                ORDER BY e.updated_at DESC, e.id DESC LIMIT ${limit} OFFSET ${offset}) e
        ORDER BY e.updated_at DESC, e.id DESC`,
      parameters,
    );
    return rows.map(found);
  }

  /** The teams of the user. */
  teams(userId: number): Promise<Choice[]> {
    return this.database.read.query(
      `SELECT t.id, t.name FROM memberships m JOIN teams t ON t.id = m.team_id
        WHERE m.user_id = ? ORDER BY t.name_search, t.id`,
      [userId],
    );
  }

  /** The users who created experiments that the user may see. */
  creators(userId: number): Promise<Choice[]> {
    return this.database.read.query(
      `SELECT DISTINCT u.id, u.name FROM ${VISIBLE}
         JOIN audit_entries c ON ${CREATION}
         JOIN users u ON u.id = c.user_id
        WHERE m.user_id = ? ORDER BY u.name, u.id`,
      [userId],
    );
  }
}

function matching(userId: number, { search, status, tag, team, creator }: SearchRequest): Condition {
  return allOf([
    { sql: 'm.user_id = ?', parameters: [userId] },
    ...(search === '' ? [] : [foldedContains('e.name_search', search)]),
    ...(status === null ? [] : [{ sql: 'e.status = ?', parameters: [status] }]),
    ...(tag === '' ? [] : [{ sql: 'INSTR(e.tags, ?) > 0', parameters: [lineOf(tag)] }]),
    ...(team === null ? [] : [{ sql: 't.id = ?', parameters: [team] }]),
    ...(creator === null
      ? []
      : [
          {
            sql: `EXISTS (SELECT 1 FROM audit_entries c WHERE ${CREATION} AND c.user_id = ?)`,
            parameters: [creator],
          },
        ]),
  ]);
}

const found = (row: StoredRow): FoundExperiment => ({
  id: row.id,
  name: row.name,
  status: row.status,
  tags: entriesOfLines(row.tags),
  project: { id: row.project_id, name: row.project_name },
  team: { id: row.team_id, name: row.team_name },
  creator: row.creator,
  updatedAt: Number(row.updated_at),
});
