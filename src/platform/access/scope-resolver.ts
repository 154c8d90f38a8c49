import { Injectable } from '@nestjs/common';
import { found, NotFoundError } from '../../common/errors/api-errors';
import { parseTags } from '../../common/http/etag';
import { Micros, nowInSeconds, SECOND_MICROS } from '../../common/time/clock';
import {
  type Freshness,
  type ReadyAnswer,
  ReadyAnswers,
  type Version,
} from '../conditional-requests/shared-reads';
import { idOf } from '../../common/validation/values';
import type { Actor } from './actor';
import type { AnswerSources, Collection, ProjectRoutes, RouteDeclaration, TeamRoutes } from './route-access';
import {
  PathItem,
  ProjectPlace,
  ProjectScope,
  ResolvedItem,
  ScopedRequest,
  TeamItemScope,
  teamListSpace,
  TeamScope,
  UserScope,
} from './scope';
import { PathIds, ScopeStore, SourceRows, VisibleProject } from './scope.store';

export interface ResolvedRequest extends ScopedRequest {
  params: Record<string, string>;
  freshness?: Freshness;
  /** Resolves the request's path again and checks that the caller may see the records in it. */
  resolve?: () => Promise<void>;
  /** A cached response that is still valid. If there is one, no further query is needed. */
  ready?: ReadyAnswer;
}

/**
 * Resolves the ids in a path to a scope, for all routes: first the team membership, then the project, then its records.
 */
@Injectable()
export class ScopeResolver {
  constructor(
    private readonly store: ScopeStore,
    private readonly answers: ReadyAnswers,
  ) {}

  /** @throws NotFoundError if a record in the path does not exist or the actor may not see it */
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
   * Resolves the path of a page. Pages are rendered for each request, so no version is looked up.
   * @throws NotFoundError if a record in the path does not exist or the user may not see it
   */
  async resolvePlace(
    request: ResolvedRequest,
    userId: number,
    { items, subject }: ProjectRoutes,
  ): Promise<ProjectPlace> {
    const projectId = idIn(request, 'project');
    const path = idsOf(request, items);
    const row = found(await this.store.project(userId, projectId, path));
    return { teamId: row.team_id, role: row.role, projectId, ...targetOf(row, projectId, path, subject) };
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
    const row = await this.setFreshness(
      request,
      `${teamListSpace(teamId, collection)}${limitOf(actor)}`,
      look,
    );
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
    const path = idsOf(request, items);
    const row = await this.lookUp(request, user, projectId, routes, path);
    const scope = { ...user, teamId: row.team_id, role: row.role, projectId };
    return request.ready === undefined
      ? { ...scope, ...targetOf(row, projectId, path, subject) }
      : { ...scope, items: {}, target: { id: projectId, version: row.record } };
  }

  private async lookUp(
    request: ResolvedRequest,
    user: UserScope,
    projectId: number,
    { collection, sources, isLive, isTaggedByContent }: Omit<ProjectRoutes, 'items' | 'subject'>,
    path: PathIds,
  ): Promise<VisibleProject> {
    if (isLive || (isTaggedByContent && !isReading(request))) {
      return found(await this.store.project(user.actor.userId, projectId, path));
    }
    return sources === undefined
      ? this.lookUpProject(request, user, projectId, collection, path)
      : this.lookUpSources(request, user, projectId, sources, path);
  }

  private lookUpProject(
    request: ResolvedRequest,
    { actor }: UserScope,
    projectId: number,
    collection: Collection,
    path: PathIds,
  ): Promise<VisibleProject> {
    const look = (below: PathIds) => this.store.collection(actor.userId, projectId, collection, below);
    return this.setFreshness(request, `project:${projectId}:${collection}`, look, path);
  }

  /** The time of a response is part of its version, so repeated lookups use the same time. */
  private lookUpSources(
    request: ResolvedRequest,
    { actor }: UserScope,
    projectId: number,
    sources: AnswerSources,
    path: PathIds,
  ): Promise<VisibleProject> {
    const id = idIn(request, sources.param);
    const asOf = nowInSeconds();
    request.asOf = asOf;
    const look = async (below: PathIds) => {
      const rows = await this.store.sources(actor.userId, projectId, sources, id, below);
      return rows && { ...rows, version: [...rows.counts, momentOf(rows, asOf)].join('.') };
    };
    return this.setFreshness(request, `${sources.space}:${id}`, look, path);
  }

  /**
   * Looks up the version of `space` and stores this version in the request. For reads, also stores a cached response of
   * that version, if there is one.
   */
  private async setFreshness<T extends { version: Version }>(
    request: ResolvedRequest,
    space: string,
    look: (path: PathIds) => Promise<T | null>,
    path: PathIds = NOTHING_BELOW,
  ): Promise<T> {
    const row = found(await look(path));
    const current = async (): Promise<Version> => found(await look(NOTHING_BELOW)).version;
    request.freshness = { space, version: row.version, current };
    if (isReading(request)) {
      request.ready = this.answers.find(space, request.url, row.version) ?? undefined;
    }
    return row;
  }
}

const isReading = ({ method }: ResolvedRequest): boolean => method === 'GET' || method === 'HEAD';

/** Tokens that are limited to certain projects see shorter lists, so their responses are cached separately. */
const limitOf = ({ projectIds, tokenId }: Actor): string =>
  projectIds === undefined ? '' : `:token:${tokenId}`;

/** The part of the current time on which a response depends. */
function momentOf({ lasts, turnsAt }: SourceRows, asOf: Micros): string {
  const period = lasts === 0 ? 0 : Math.floor(asOf / (lasts * SECOND_MICROS));
  return turnsAt !== null && asOf >= turnsAt ? `${period}t` : String(period);
}

const NOTHING_BELOW: PathIds = { items: [], ids: [] };

/**
 * The ids below the project in the request's path. The path of a list has one id fewer than the path of its records.
 */
function idsOf(request: ResolvedRequest, items: readonly PathItem[]): PathIds {
  const given = items.filter(({ param }) => param in request.params);
  const ids = given.map(({ param }) => idIn(request, param));
  if (given.length === 0) {
    return NOTHING_BELOW;
  }
  return { items: given.length === items.length ? items : given, ids };
}

/** The items in the path, and the subject of the request. */
function targetOf(
  { record, items: rows }: VisibleProject,
  projectId: number,
  { items }: PathIds,
  subject: ProjectRoutes['subject'],
): Pick<ProjectPlace, 'items' | 'target'> {
  const resolved = items.map(({ param }, index): [string, ResolvedItem] => [
    param,
    found(rows[index] ?? null),
  ]);
  const last = subject === 'project' ? undefined : resolved.at(-1)?.[1];
  return { items: Object.fromEntries(resolved), target: last ?? { id: projectId, version: record } };
}

function idIn(request: ResolvedRequest, param: string): number {
  return found(idOf(request.params[param] ?? ''));
}
