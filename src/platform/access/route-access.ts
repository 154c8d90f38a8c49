import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Ability } from './actor';
import type { Permission } from './roles';
import type { PathItem, ProjectScope } from './scope';

/** A permission, or a function that derives the permission from the records and the request body. */
export type NeededPermission = Permission | ((scope: ProjectScope, body: unknown) => Permission);

export interface RouteAccess {
  permission: NeededPermission;
  /** By default `read` for GET and `write` for other methods. */
  ability?: Ability;
}

/**
 * Name of the project's version counter that covers the routes' records: `record` for the project itself,
 * `experiments`, or the collection of a standard resource.
 */
export type Collection = string;

/** The rows on which a response depends, if the version of a collection does not cover all of them. */
export interface AnswerSources {
  /** Identifies the subject of the response, together with the id in the path. */
  space: string;
  /** The path parameter bound to the single `?` in `joins`. */
  param: string;
  /** SQL that joins the rows to the project `p`. */
  joins: string;
  /** SQL expressions for the rows' version numbers. */
  versions: readonly string[];
  /** SQL expression for the number of seconds after which a response changes even if no row changes; 0 means never. */
  lasts: string;
  /** SQL expression for the time at which a response changes even if no row changes; null means never. */
  turnsAt?: string;
}

export interface ProjectRoutes {
  collection: Collection;
  /** The ids that can follow the project id in a path, outermost first. */
  items: readonly PathItem[];
  /** Path parameters that are not row ids. The handler looks them up in the project. */
  texts?: readonly string[];
  /** Set if a write concerns the project instead of the last item in the path. */
  subject?: 'project';
  sources?: AnswerSources;
  /** Set if responses depend on more than stored rows. Such responses have no ETag and are never cached. */
  isLive?: true;
  /** Set if ETags are hashes of the records. The handlers then compare `If-Match` themselves. */
  isTaggedByContent?: true;
}

/** The records that routes under `/teams/{team}` concern. */
export interface TeamRoutes {
  /** The version counter of the team that covers the records. */
  collection: 'projects' | 'members';
  /** The id that can follow the team id in a path. */
  item?: PathItem;
}

const PUBLIC = 'gosset:public';
const SIGNED_IN = 'gosset:signed-in';
const ROUTE_ACCESS = 'gosset:access';
const PROJECT_ROUTES = 'gosset:project-routes';
const CALLS_API = 'gosset:calls-api';
const TEAM_ROUTES = 'gosset:team-routes';

/**
 * Makes a route or controller public. The server does not start if a route has neither `Public`, `SignedIn` nor `Can`.
 */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

/**
 * Declares a page that requires a signed-in user. The page concerns the user's own records or, if combined with
 * `InProject`, the records in a project. API tokens cannot access it.
 * @param ownIds path parameters with ids of the user's own records; the handler looks them up for this user only
 */
export const SignedIn = (...ownIds: readonly string[]): MethodDecorator & ClassDecorator =>
  SetMetadata(SIGNED_IN, ownIds);

/**
 * Marks a form whose handler changes records only through API calls. The server does not start if a form in a project
 * lacks this mark.
 */
export const CallsApi = (): MethodDecorator => SetMetadata(CALLS_API, true);

/** Declares the permission that a caller of the route needs in the team that its path belongs to. */
export const Can = (permission: NeededPermission, options: { ability?: Ability } = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(ROUTE_ACCESS, { permission, ...options } satisfies RouteAccess),
    ApiBearerAuth(),
  );

/** Declares the records that a controller's routes under `/projects/{project}` concern, for the API and for pages. */
export const InProject = (routes: ProjectRoutes): ClassDecorator => SetMetadata(PROJECT_ROUTES, routes);

/** Declares the records that a controller's routes under `/teams/{team}` concern. */
export const InTeam = (routes: TeamRoutes): ClassDecorator => SetMetadata(TEAM_ROUTES, routes);

/**
 * The declared access of a controller's route. If neither `isPublic` nor `needsSession` is set, the route needs an API
 * token.
 */
export interface RouteDeclaration {
  isPublic: boolean;
  /** Whether the route is a page that needs a session. */
  needsSession: boolean;
  /** Path parameters with ids of the user's own records, on pages with a session. */
  ownIds: readonly string[];
  /** Whether the route is a form that only calls the API. */
  callsApi: boolean;
  access: RouteAccess | null;
  projectRoutes: ProjectRoutes | null;
  teamRoutes: TeamRoutes | null;
}

/** Reads the decorators of a route. Declarations on the handler override those on its controller. */
export function declarationOf(controller: object, handler: object): RouteDeclaration {
  const ofController = (key: string): unknown => Reflect.getMetadata(key, controller);
  const either = (key: string): unknown => Reflect.getMetadata(key, handler) ?? ofController(key);
  const ownIds = either(SIGNED_IN) as readonly string[] | undefined;
  return {
    isPublic: either(PUBLIC) === true,
    needsSession: ownIds !== undefined,
    ownIds: ownIds ?? [],
    callsApi: Reflect.getMetadata(CALLS_API, handler) === true,
    access: (either(ROUTE_ACCESS) as RouteAccess | undefined) ?? null,
    projectRoutes: (ofController(PROJECT_ROUTES) as ProjectRoutes | undefined) ?? null,
    teamRoutes: (ofController(TEAM_ROUTES) as TeamRoutes | undefined) ?? null,
  };
}
