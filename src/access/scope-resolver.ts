import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../common/errors/api-errors';
import { ReadyAnswer, ReadyAnswers, Version } from '../common/freshness/ready-answers';
import { parseTags } from '../common/freshness/tags';
import { Micros, nowInSeconds, SECOND_MICROS } from '../common/time/clock';
import { Database } from '../database/database';
import type { Actor } from './actor';
import type { Role } from './roles';
import type { AnswerSources, Collection, ProjectRoutes } from './route-access';
import {
  parsePathId,
  PathItem,
  ProjectPlace,
  ProjectScope,
  ResolvedItem,
  ScopedRequest,
  TeamScope,
  UserScope,
} from './scope';

/** What the answer to a read depends on, and how often that has changed. */
export interface Freshness {
  /** Names what the version counts the changes of. */
  space: string;
  version: Version;
  /** The version as it is now. */
  current: () => Promise<Version>;
}

export interface ResolvedRequest extends ScopedRequest {
  params: Record<string, string>;
  freshness?: Freshness;
  /** Looks up again what the request is about and whether its caller may see it. */
  resolve?: () => Promise<void>;
  /** An answer that is still true, so that nothing more needs to be looked up. */
  ready?: ReadyAnswer;
}

interface ProjectRow {
  team_id: number;
  role: Role;
  record: number;
}

interface SourceRow extends ProjectRow {
  /** Seconds; see `AnswerSources`. */
  lasts: number;
  [version: `version${number}`]: number;
}

/** Turns the ids of a path into a scope, once for all routes: team member, then project, then what lies in it. */
@Injectable()
export class ScopeResolver {
  constructor(
    private readonly database: Database,
    private readonly answers: ReadyAnswers,
  ) {}

  /** @throws NotFoundError when something in the path does not exist or the actor may not see it */
  async resolve(
    request: ResolvedRequest,
    actor: Actor,
    routes: ProjectRoutes | undefined,
  ): Promise<UserScope | TeamScope | ProjectScope> {
    const header = request.headers['if-match'];
    const user: UserScope = { actor, ifMatch: header === undefined ? null : parseTags(header) };
    if (routes !== undefined) {
      return this.resolveProject(request, user, routes);
    }
    return request.params.team === undefined
      ? this.resolveUser(request, user)
      : this.resolveTeam(request, user);
  }

  /**
   * The same for a page, which is made anew for each request.
   * @throws NotFoundError when something in the path does not exist or the user may not see it
   */
  async resolvePlace(
    request: ResolvedRequest,
    userId: number,
    { items, subject }: ProjectRoutes,
  ): Promise<ProjectPlace> {
    const projectId = idIn(request, 'project');
    const row = await this.one<ProjectRow>(visibleProject([]), [userId, projectId]);
    const project = { id: projectId, version: row.record };
    const target = await this.resolveTarget(request, project, items, subject);
    return { teamId: row.team_id, role: row.role, projectId, ...target };
  }

  private async resolveUser(request: ResolvedRequest, user: UserScope): Promise<UserScope> {
    const { userId } = user.actor;
    const look = () =>
      this.one<{ version: number }>('SELECT teams_version AS version FROM users WHERE id = ?', [userId]);
    await this.setFreshness(request, `user:${userId}`, look);
    return user;
  }

  private async resolveTeam(request: ResolvedRequest, user: UserScope): Promise<TeamScope> {
    const teamId = idIn(request, 'team');
    const look = () =>
      this.one<{ version: number; role: Role }>(
        `SELECT t.projects_version AS version, m.role FROM memberships m JOIN teams t ON t.id = m.team_id
          WHERE m.user_id = ? AND m.team_id = ?`,
        [user.actor.userId, teamId],
      );
    const row = await this.setFreshness(request, `team:${teamId}`, look);
    return { ...user, teamId, role: row.role };
  }

  private async resolveProject(
    request: ResolvedRequest,
    user: UserScope,
    { collection, items, subject, sources }: ProjectRoutes,
  ): Promise<ProjectScope> {
    const projectId = idIn(request, 'project');
    const row =
      sources === undefined
        ? await this.lookUpProject(request, user, projectId, collection)
        : await this.lookUpSources(request, user, projectId, sources);
    const scope = { ...user, teamId: row.team_id, role: row.role, projectId };
    const project = { id: projectId, version: row.record };
    if (request.ready !== undefined) {
      return { ...scope, items: {}, target: project };
    }
    return { ...scope, ...(await this.resolveTarget(request, project, items, subject)) };
  }

  /** The items of the path, and what the request is about. */
  private async resolveTarget(
    request: ResolvedRequest,
    project: ResolvedItem,
    items: readonly PathItem[],
    subject: ProjectRoutes['subject'],
  ): Promise<Pick<ProjectPlace, 'items' | 'target'>> {
    const resolved = await this.resolveItems(request, project.id, items);
    const last = subject === 'project' ? undefined : Object.values(resolved).at(-1);
    return { items: resolved, target: last ?? project };
  }

  private lookUpProject(
    request: ResolvedRequest,
    { actor }: UserScope,
    projectId: number,
    collection: Collection,
  ): Promise<ProjectRow> {
    const version = collection === 'record' ? 'p.version' : `v.${collection}`;
    const sql = visibleProject([`${version} AS version`], 'JOIN project_versions v ON v.project_id = p.id');
    const look = () => this.one<ProjectRow & { version: number }>(sql, [actor.userId, projectId]);
    return this.setFreshness(request, `project:${projectId}:${collection}`, look);
  }

  /** The moment of an answer belongs to its version, so the same one counts when the version is looked up again. */
  private lookUpSources(
    request: ResolvedRequest,
    { actor }: UserScope,
    projectId: number,
    { space, param, joins, versions, lasts }: AnswerSources,
  ): Promise<ProjectRow> {
    const columns = versions.map((version, index) => `${version} AS version${index}`);
    const sql = visibleProject([...columns, `${lasts} AS lasts`], joins);
    const id = idIn(request, param);
    const asOf = nowInSeconds();
    request.asOf = asOf;
    const look = async () => {
      const row = await this.one<SourceRow>(sql, [actor.userId, id, projectId]);
      const counts = versions.map((_, index) => row[`version${index}`]);
      return { ...row, version: [...counts, momentOf(row, asOf)].join('.') };
    };
    return this.setFreshness(request, `${space}:${id}`, look);
  }

  private async resolveItems(
    request: ResolvedRequest,
    projectId: number,
    items: readonly PathItem[],
  ): Promise<Record<string, ResolvedItem>> {
    const resolved: Record<string, ResolvedItem> = {};
    let parentId = projectId;
    for (const item of items.filter(({ param }) => param in request.params)) {
      const { param, table, parentColumn, columns = [], live = '1 = 1' } = item;
      const row = await this.one<ResolvedItem>(
        `SELECT ${['id', 'version', ...columns].join(', ')} FROM ${table} WHERE id = ? AND ${parentColumn} = ? AND ${live}`,
        [idIn(request, param), parentId],
      );
      resolved[param] = row;
      parentId = row.id;
    }
    return resolved;
  }

  /** Looks the space up, notes its version, and finds an answer of that version where there is one. */
  private async setFreshness<T extends { version: Version }>(
    request: ResolvedRequest,
    space: string,
    look: () => Promise<T>,
  ): Promise<T> {
    const row = await look();
    request.freshness = { space, version: row.version, current: async () => (await look()).version };
    if (request.method === 'GET' || request.method === 'HEAD') {
      request.ready = this.answers.find(space, request.url, row.version) ?? undefined;
    }
    return row;
  }

  private async one<T>(sql: string, parameters: (number | string)[]): Promise<T> {
    const [row]: T[] = await this.database.read.query(sql, parameters);
    if (row === undefined) {
      throw new NotFoundError();
    }
    return row;
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

/** What of the moment an answer can depend on. */
function momentOf({ lasts }: SourceRow, asOf: Micros): number {
  return lasts === 0 ? 0 : Math.floor(asOf / (lasts * SECOND_MICROS));
}

function idIn(request: ResolvedRequest, param: string): number {
  const id = parsePathId(request.params[param] ?? '');
  if (id === null) {
    throw new NotFoundError();
  }
  return id;
}
