import { Injectable } from '@nestjs/common';
import type { Micros } from '../common/time/clock';
import { Database } from '../database/database';
import type { Version } from '../conditional-requests/shared-reads';
import { placeholders } from '../database/row-store';
import type { Actor } from './actor';
import type { Role } from './roles';
import type { AnswerSources, Collection, TeamRoutes } from './route-access';
import type { PathItem, ResolvedItem } from './scope';

/** A project, as one member of its team sees it. */
export interface VisibleProject {
  team_id: number;
  role: Role;
  /** The version of the project's record. */
  record: number;
}

/** The rows from which a response is computed. */
export interface SourceRows extends VisibleProject {
  /** Their versions. */
  counts: readonly number[];
  /** Seconds; see `AnswerSources`. */
  lasts: number;
  /** The time at which the response changes even if no row does; null means never. */
  turnsAt: Micros | null;
}

type SourceRow = VisibleProject & { lasts: number; turns_at: number | string | null } & Record<
    `version${number}`,
    number
  >;

/**
 * Looks up the records of a path. Methods return null for records that do not exist, are in the trash, or belong to
 * another team.
 */
@Injectable()
export class ScopeStore {
  constructor(private readonly database: Database) {}

  /** The version of the user's list of teams; with the teams of these projects, if the token is limited to them. */
  async user({ userId, projectIds }: Actor): Promise<{ version: Version } | null> {
    const user = await this.one<{ version: number }>(
      'SELECT teams_version AS version FROM users WHERE id = ?',
      [userId],
    );
    if (user === null || projectIds === undefined) {
      return user;
    }
    const teams: { id: number }[] = await this.database.read.query(
      `SELECT DISTINCT team_id AS id FROM projects WHERE ${among('id', projectIds)} ORDER BY team_id`,
      [...projectIds],
    );
    return { version: [user.version, ...teams.map(({ id }) => id)].join('.') };
  }

  /**
   * A team of the user, and the version of its list of projects or members. For a token that is limited to projects,
   * the team must have one of them.
   */
  team(
    { userId, projectIds }: Actor,
    teamId: number,
    collection: TeamRoutes['collection'],
  ): Promise<{ version: number; role: Role } | null> {
    const limit =
      projectIds === undefined
        ? ''
        : ` AND EXISTS (SELECT 1 FROM projects WHERE team_id = t.id AND ${among('id', projectIds)})`;
    return this.one(
      `SELECT t.${collection}_version AS version, m.role FROM memberships m JOIN teams t ON t.id = m.team_id
        WHERE m.user_id = ? AND m.team_id = ?${limit}`,
      [userId, teamId, ...(projectIds ?? [])],
    );
  }

  project(userId: number, projectId: number): Promise<VisibleProject | null> {
    return this.one(VISIBLE, [userId, projectId]);
  }

  /** A project, and the version of one of its collections. */
  collection(
    userId: number,
    projectId: number,
    collection: Collection,
  ): Promise<(VisibleProject & { version: number }) | null> {
    return collection === 'record'
      ? this.one(OF_RECORD, [userId, projectId])
      : this.one(OF_COLLECTION, [userId, collection, projectId]);
  }

  /** A project, and the versions of the rows from which a response about `id` is computed. */
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

  /** The row of a path id, in its project or in the previous item of the path. */
  item(
    { table, parentColumn, idColumn = 'id', columns = [], isKeptInTrash = false }: PathItem,
    id: number,
    parentId: number,
  ): Promise<ResolvedItem | null> {
    const live = isKeptInTrash ? ' AND deleted_at IS NULL' : '';
    return this.one(
      `SELECT ${[`${idColumn} AS id`, 'version', ...columns].join(', ')}
         FROM ${table} WHERE ${idColumn} = ? AND ${parentColumn} = ?${live}`,
      [id, parentId],
    );
  }

  private async one<T>(sql: string, parameters: (number | string)[]): Promise<T | null> {
    const [row]: T[] = await this.database.read.query(sql, parameters);
    return row ?? null;
  }
}

/** SQL of the projects of a limited token that are not deleted. */
const among = (column: string, projectIds: readonly number[]): string =>
  `${column} IN (${placeholders(projectIds.length)}) AND deleted_at IS NULL`;

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
