import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../common/errors/api-errors';
import { parseTags } from '../common/conditional-requests/tags';
import { Micros, nowInSeconds, SECOND_MICROS } from '../common/time/clock';
import {
  type Freshness,
  type ReadyAnswer,
  ReadyAnswers,
  type Version,
} from '../conditional-requests/shared-reads';
import type { Actor } from './actor';
import type { AnswerSources, Collection, ProjectRoutes, RouteDeclaration, TeamRoutes } from './route-access';
import {
  parsePathId,
  PathItem,
  ProjectPlace,
  ProjectScope,
  ResolvedItem,
  ScopedRequest,
  TeamItemScope,
  TeamScope,
  UserScope,
} from './scope';
import { ScopeStore, SourceRows, VisibleProject } from './scope.store';

export interface ResolvedRequest extends ScopedRequest {
  params: Record<string, string>;
  freshness?: Freshness;
  /** Resolves the request's path again and checks that its caller may see the records. */
  resolve?: () => Promise<void>;
  /** A cached response that is still valid, so that no further query is needed. */
  ready?: ReadyAnswer;
}

/** Resolves the ids of a path to a scope, for all routes: team membership, then the project, then its records. */
@Injectable()
export class ScopeResolver {
  constructor(
    private readonly store: ScopeStore,
    private readonly answers: ReadyAnswers,
  ) {}

  /** @throws NotFoundError if a record of the path does not exist or the actor may not see it */
  async resolve(
    request: ResolvedRequest,
    actor: Actor,
    { projectRoutes, teamRoutes }: Pick<RouteDeclaration, 'projectRoutes' | 'teamRoutes'>,
  ): Promise<UserScope | TeamScope | TeamItemScope | ProjectScope> {
    const header = request.headers['if-match'];
    const user: UserScope = { actor, ifMatch: header === undefined ? null : parseTags(header) };
    if (projectRoutes !== null) {
      return this.resolveProject(request, user, projectRoutes);
    }
    return teamRoutes === null
      ? this.resolveUser(request, user)
      : this.resolveTeam(request, user, teamRoutes);
  }

  /**
   * The same for a page, which is rendered for each request. @throws NotFoundError if a record of the path does not
   * exist or the user may not see it
   */
  async resolvePlace(
    request: ResolvedRequest,
    userId: number,
    { items, subject }: ProjectRoutes,
  ): Promise<ProjectPlace> {
    const projectId = idIn(request, 'project');
    const row = found(await this.store.project(userId, projectId));
    const project = { id: projectId, version: row.record };
    const target = await this.resolveTarget(request, project, items, subject);
    return { teamId: row.team_id, role: row.role, projectId, ...target };
  }

  private async resolveUser(request: ResolvedRequest, user: UserScope): Promise<UserScope> {
    const { actor } = user;
    await this.setFreshness(request, `user:${actor.userId}${limitOf(actor)}`, () => this.store.user(actor));
    return user;
  }

  private async resolveTeam(
    request: ResolvedRequest,
    user: UserScope,
    { collection, item }: TeamRoutes,
  ): Promise<TeamScope | TeamItemScope> {
    const { actor } = user;
    const teamId = idIn(request, 'team');
    if (actor.projectIds !== undefined && !(collection === 'projects' && isReading(request))) {
      throw new NotFoundError();
    }
    const look = () => this.store.team(actor, teamId, collection);
    const row = await this.setFreshness(request, `team:${teamId}:${collection}${limitOf(actor)}`, look);
    const scope = { ...user, teamId, role: row.role };
    if (item === undefined || !(item.param in request.params)) {
      return scope;
    }
    return { ...scope, target: found(await this.store.item(item, idIn(request, item.param), teamId)) };
  }

  private async resolveProject(
    request: ResolvedRequest,
    user: UserScope,
    { items, subject, ...routes }: ProjectRoutes,
  ): Promise<ProjectScope> {
    const projectId = idIn(request, 'project');
    if (user.actor.projectIds?.includes(projectId) === false) {
      throw new NotFoundError();
    }
    const row = await this.lookUp(request, user, projectId, routes);
    const scope = { ...user, teamId: row.team_id, role: row.role, projectId };
    const project = { id: projectId, version: row.record };
    if (request.ready !== undefined) {
      return { ...scope, items: {}, target: project };
    }
    return { ...scope, ...(await this.resolveTarget(request, project, items, subject)) };
  }

  /** The items of the path, and the subject of the request. */
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

  private async lookUp(
    request: ResolvedRequest,
    user: UserScope,
    projectId: number,
    { collection, sources, isLive }: Omit<ProjectRoutes, 'items' | 'subject'>,
  ): Promise<VisibleProject> {
    if (isLive) {
      return found(await this.store.project(user.actor.userId, projectId));
    }
    return sources === undefined
      ? this.lookUpProject(request, user, projectId, collection)
      : this.lookUpSources(request, user, projectId, sources);
  }

  private lookUpProject(
    request: ResolvedRequest,
    { actor }: UserScope,
    projectId: number,
    collection: Collection,
  ): Promise<VisibleProject> {
    const look = () => this.store.collection(actor.userId, projectId, collection);
    return this.setFreshness(request, `project:${projectId}:${collection}`, look);
  }

  /** The time of a response is part of its version, so a repeated lookup uses the same time. */
  private lookUpSources(
    request: ResolvedRequest,
    { actor }: UserScope,
    projectId: number,
    sources: AnswerSources,
  ): Promise<VisibleProject> {
    const id = idIn(request, sources.param);
    const asOf = nowInSeconds();
    request.asOf = asOf;
    const look = async () => {
      const rows = await this.store.sources(actor.userId, projectId, sources, id);
      return rows && { ...rows, version: [...rows.counts, momentOf(rows, asOf)].join('.') };
    };
    return this.setFreshness(request, `${sources.space}:${id}`, look);
  }

  private async resolveItems(
    request: ResolvedRequest,
    projectId: number,
    items: readonly PathItem[],
  ): Promise<Record<string, ResolvedItem>> {
    const resolved: Record<string, ResolvedItem> = {};
    let parentId = projectId;
    for (const item of items.filter(({ param }) => param in request.params)) {
      const row = found(await this.store.item(item, idIn(request, item.param), parentId));
      resolved[item.param] = row;
      parentId = row.id;
    }
    return resolved;
  }

  /** Looks up the space and its version, and returns a cached response of that version if there is one. */
  private async setFreshness<T extends { version: Version }>(
    request: ResolvedRequest,
    space: string,
    look: () => Promise<T | null>,
  ): Promise<T> {
    const row = found(await look());
    const current = async (): Promise<Version> => found(await look()).version;
    request.freshness = { space, version: row.version, current };
    if (isReading(request)) {
      request.ready = this.answers.find(space, request.url, row.version) ?? undefined;
    }
    return row;
  }
}

const isReading = ({ method }: ResolvedRequest): boolean => method === 'GET' || method === 'HEAD';

/** Tokens that are limited to projects see different lists, so their responses are cached separately. */
const limitOf = ({ projectIds, tokenId }: Actor): string =>
  projectIds === undefined ? '' : `:token:${tokenId}`;

/** The part of the current time on which a response depends. */
function momentOf({ lasts, turnsAt }: SourceRows, asOf: Micros): string {
  const period = lasts === 0 ? 0 : Math.floor(asOf / (lasts * SECOND_MICROS));
  return turnsAt !== null && asOf >= turnsAt ? `${period}t` : String(period);
}

function found<T>(row: T | null): T {
  if (row === null) {
    throw new NotFoundError();
  }
  return row;
}

function idIn(request: ResolvedRequest, param: string): number {
  return found(parsePathId(request.params[param] ?? ''));
}
