import { Injectable } from '@nestjs/common';
import type { Micros } from '../../common/time/clock';
import { numberOrNull } from '../../database/columns';
import { Database } from '../../database/database';
import type { Version } from '../conditional-requests/shared-reads';
import { placeholders } from '../../database/row-store';
import type { Actor } from './actor';
import type { Role } from './roles';
import type { AnswerSources, Collection, TeamRoutes } from './route-access';
import type { PathItem, ResolvedItem } from './scope';

/**
 * The path ids below a project. `items` defines their meaning. It is usually the same array for all requests to a
 * route, so SQL statements are cached with this array as the key.
 */
export interface PathIds {
  items: readonly PathItem[];
  ids: readonly number[];
}

/** A project, as one member of its team sees it. */
export interface VisibleProject {
  team_id: number;
  role: Role;
  /** The version of the project record. */
  record: number;
  /** The rows for the ids below the project, each nested in the previous one; null for an id without a row. */
  items: readonly (ResolvedItem | null)[];
}

/** The rows from which a response is computed. */
export interface SourceRows extends VisibleProject {
  /** The version numbers of the rows. */
  counts: readonly number[];
  /** Seconds; see `AnswerSources`. */
  lasts: number;
  /** The time at which the response changes even if no row changes; null means never. */
  turnsAt: Micros | null;
}

type ProjectRow = Omit<VisibleProject, 'items'> & Record<string, unknown>;

type SourceRow = ProjectRow & { lasts: number; turns_at: number | string | null } & Record<
    `version${number}`,
    number
  >;

/**
 * Looks up the records in a path. Methods return null for records that do not exist, are in the trash, or belong to a
 * different team.
 */
@Injectable()
export class ScopeStore {
  /** Caches the SQL statements for routes, because building one takes longer than executing it on SQLite. */
  private readonly statements = new WeakMap<readonly PathItem[], Map<unknown, string>>();

  constructor(private readonly database: Database) {}

  /**
   * The version of the user's team list. If the token is limited to projects, the version includes the teams that own
   * them.
   */
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
   * One of the user's teams, and the version of its project or member list. If the token is limited to projects, the
   * team must own one of them.
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

  /** A project and the rows for the ids below it. */
  async project(userId: number, projectId: number, path: PathIds): Promise<VisibleProject | null> {
    const sql = this.statement(path, null, () => visibleProject(path));
    const row = await this.one<ProjectRow>(sql, [userId, ...path.ids, projectId]);
    return row && { ...row, items: itemsOf(row, path) };
  }

  /** Like `project`, with the version of one of the project's collections. */
  async collection(
    userId: number,
    projectId: number,
    collection: Collection,
    path: PathIds,
  ): Promise<(VisibleProject & { version: number }) | null> {
    const { columns, joins } = collection === 'record' ? OF_RECORD : OF_COLLECTION;
    const sql = this.statement(path, joins, () => visibleProject(path, columns, joins));
    const joined = collection === 'record' ? [] : [collection];
    const values = [userId, ...joined, ...path.ids, projectId];
    const row = await this.one<ProjectRow & { version: number }>(sql, values);
    return row && { ...row, items: itemsOf(row, path) };
  }

  /** Like `project`, with the versions of the rows from which a response about `id` is computed. */
  async sources(
    userId: number,
    projectId: number,
    sources: AnswerSources,
    id: number,
    path: PathIds,
  ): Promise<SourceRows | null> {
    const { joins, versions } = sources;
    const sql = this.statement(path, sources, () => visibleProject(path, columnsOfSources(sources), joins));
    const row = await this.one<SourceRow>(sql, [userId, id, ...path.ids, projectId]);
    return (
      row && {
        ...row,
        items: itemsOf(row, path),
        turnsAt: numberOrNull(row.turns_at),
        counts: versions.map((_, index) => row[`version${index}`]),
      }
    );
  }

  /** The row for a path id in a team. */
  item(
    { table, parentColumn, idColumn = 'id', columns = [] }: PathItem,
    id: number,
    teamId: number,
  ): Promise<ResolvedItem | null> {
    return this.one(
      `SELECT ${[`${idColumn} AS id`, 'version', ...columns].join(', ')}
         FROM ${table} WHERE ${idColumn} = ? AND ${parentColumn} = ?`,
      [id, teamId],
    );
  }

  private statement({ items }: PathIds, kind: unknown, write: () => string): string {
    const known = this.statements.get(items)?.get(kind);
    if (known !== undefined) {
      return known;
    }
    const sql = write();
    const ofPath = this.statements.get(items) ?? new Map<unknown, string>();
    this.statements.set(items, ofPath.set(kind, sql));
    return sql;
  }

  private async one<T>(sql: string, parameters: (number | string)[]): Promise<T | null> {
    const [row]: T[] = await this.database.read.query(sql, parameters);
    return row ?? null;
  }
}

/** SQL condition that selects the projects that a limited token can access, except deleted ones. */
const among = (column: string, projectIds: readonly number[]): string =>
  `${column} IN (${placeholders(projectIds.length)}) AND deleted_at IS NULL`;

/** SQL that finds a project for a member of its team, with additional columns and joined rows. */
function visibleProject({ items }: PathIds, columns: readonly string[] = [], joins = ''): string {
  const selected = [
    'p.team_id',
    'm.role',
    'p.version AS record',
    ...columns,
    ...items.flatMap(columnsOfItem),
  ];
  return `SELECT ${selected.join(', ')}
            FROM projects p
            JOIN memberships m ON m.user_id = ? AND m.team_id = p.team_id
            ${joins}
            ${items.map(joinOfItem).join(' ')}
           WHERE p.id = ? AND p.deleted_at IS NULL`;
}

const columnsOfSources = ({ versions, lasts, turnsAt = 'NULL' }: AnswerSources): string[] => [
  ...versions.map((version, index) => `${version} AS version${index}`),
  `${lasts} AS lasts`,
  `${turnsAt} AS turns_at`,
];

const OF_RECORD = { columns: ['p.version AS version'], joins: '' };

const OF_COLLECTION = {
  columns: ['COALESCE(c.version, 1) AS version'],
  joins: 'LEFT JOIN collection_versions c ON c.project_id = p.id AND c.collection = ?',
};

/** The columns of an item's row, in the order in which they are selected. */
const columnsOf = ({ columns = [] }: PathItem): readonly string[] => ['id', 'version', ...columns];

function columnsOfItem(item: PathItem, index: number): string[] {
  const { idColumn = 'id', hasVersion = true } = item;
  return columnsOf(item).map((column) => {
    const value =
      column === 'version' && !hasVersion ? '0' : `i${index}.${column === 'id' ? idColumn : column}`;
    return `${value} AS i${index}_${column}`;
  });
}

/** SQL that joins the row for an item to its project, or to the previous item in the path. */
function joinOfItem(item: PathItem, index: number, items: readonly PathItem[]): string {
  const { table, parentColumn, idColumn = 'id', isKeptInTrash = false } = item;
  const parent = index === 0 ? 'p.id' : `i${index - 1}.${items[index - 1]?.idColumn ?? 'id'}`;
  const live = isKeptInTrash ? ` AND i${index}.deleted_at IS NULL` : '';
  return `LEFT JOIN ${table} i${index}
            ON i${index}.${idColumn} = ? AND i${index}.${parentColumn} = ${parent}${live}`;
}

/** The rows of the path items, extracted from a joined row. */
const itemsOf = (row: ProjectRow, { items }: PathIds): (ResolvedItem | null)[] =>
  items.map((item, index) => {
    const values = columnsOf(item).map((column) => [column, row[`i${index}_${column}`]]);
    return row[`i${index}_id`] === null ? null : (Object.fromEntries(values) as ResolvedItem);
  });
