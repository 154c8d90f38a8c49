import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import type { Role } from './roles';
import type { AnswerSources, Collection } from './route-access';
import type { PathItem, ResolvedItem } from './scope';

/** A project, as one member of its team sees it. */
export interface VisibleProject {
  team_id: number;
  role: Role;
  /** The version of the project's record. */
  record: number;
}

/** The rows that an answer is computed from. */
export interface SourceRows extends VisibleProject {
  /** The version of each. */
  counts: readonly number[];
  /** Seconds; see `AnswerSources`. */
  lasts: number;
  /** The moment at which the answer changes though no row does; null is never. */
  turnsAt: Micros | null;
}

type SourceRow = VisibleProject & { lasts: number; turns_at: number | string | null } & Record<
    `version${number}`,
    number
  >;

/** What paths lead to: each method answers null for what does not exist, is in the trash, or is another team's. */
@Injectable()
export class ScopeStore {
  constructor(private readonly database: Database) {}

  /** How often the list of a user's teams has changed. */
  user(userId: number): Promise<{ version: number } | null> {
    return this.one('SELECT teams_version AS version FROM users WHERE id = ?', [userId]);
  }

  /** A team of the user, and how often the list of its projects has changed. */
  team(userId: number, teamId: number): Promise<{ version: number; role: Role } | null> {
    return this.one(
      `SELECT t.projects_version AS version, m.role FROM memberships m JOIN teams t ON t.id = m.team_id
        WHERE m.user_id = ? AND m.team_id = ?`,
      [userId, teamId],
    );
  }

  project(userId: number, projectId: number): Promise<VisibleProject | null> {
    return this.one(VISIBLE, [userId, projectId]);
  }

  /** A project, and how often what a collection of it shows has changed. */
  collection(
    userId: number,
    projectId: number,
    collection: Collection,
  ): Promise<(VisibleProject & { version: number }) | null> {
    return collection === 'record'
      ? this.one(OF_RECORD, [userId, projectId])
      : this.one(OF_COLLECTION, [userId, collection, projectId]);
  }

  /** A project, and the versions of the rows that an answer about `id` is computed from. */
  async sources(
    userId: number,
    projectId: number,
    { joins, versions, lasts, turnsAt = 'NULL' }: AnswerSources,
    id: number,
  ): Promise<SourceRows | null> {
    const columns = versions.map((version, index) => `${version} AS version${index}`);
    const sql = visibleProject([...columns, `${lasts} AS lasts`, `${turnsAt} AS turns_at`], joins);
    const row = await this.one<SourceRow>(sql, [userId, id, projectId]);
    return (
      row && {
        ...row,
        turnsAt: row.turns_at === null ? null : Number(row.turns_at),
        counts: versions.map((_, index) => row[`version${index}`]),
      }
    );
  }

  /** What a path id names in its project, or in the item before it. */
  item(
    { table, parentColumn, columns = [], isKeptInTrash = false }: PathItem,
    id: number,
    parentId: number,
  ): Promise<ResolvedItem | null> {
    const live = isKeptInTrash ? ' AND deleted_at IS NULL' : '';
    return this.one(
      `SELECT ${['id', 'version', ...columns].join(', ')} FROM ${table} WHERE id = ? AND ${parentColumn} = ?${live}`,
      [id, parentId],
    );
  }

  private async one<T>(sql: string, parameters: (number | string)[]): Promise<T | null> {
    const [row]: T[] = await this.database.read.query(sql, parameters);
    return row ?? null;
  }
}

/** SQL that finds a project, and columns and rows joined to it, for a member of its team. */
function visibleProject(columns: readonly string[], joins = ''): string {
  return `SELECT ${['p.team_id', 'm.role', 'p.version AS record', ...columns].join(', ')}
            FROM projects p
            JOIN memberships m ON m.user_id = ? AND m.team_id = p.team_id
            ${joins}
           WHERE p.id = ? AND p.deleted_at IS NULL`;
}

const VISIBLE = visibleProject([]);

const OF_RECORD = visibleProject(['p.version AS version']);

const OF_COLLECTION = visibleProject(
  ['COALESCE(c.version, 1) AS version'],
  'LEFT JOIN collection_versions c ON c.project_id = p.id AND c.collection = ?',
);
