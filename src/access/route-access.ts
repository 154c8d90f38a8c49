import { applyDecorators, ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Ability } from './actor';
import type { Permission } from './roles';
import type { PathItem, ProjectScope } from './scope';

/** A permission, or how to tell it from what the request is about. */
export type NeededPermission = Permission | ((scope: ProjectScope, body: unknown) => Permission);

export interface RouteAccess {
  permission: NeededPermission;
  /** `read` for GET, `write` for everything else, unless said otherwise. */
  ability?: Ability;
}

/** Which of the project's version numbers counts the changes of what the routes show. */
export type Collection = 'record' | 'experiments' | 'audiences' | 'pages' | 'goals' | 'environments';

/** The rows that the answers of routes are computed from, where the version of a collection does not tell of all. */
export interface AnswerSources {
  /** Names what is answered about, together with the id in the path. */
  space: string;
  /** The path parameter whose id is the one `?` of `joins`. */
  param: string;
  /** SQL that joins the rows to the project `p`. */
  joins: string;
  /** SQL expressions of the rows' version numbers. */
  versions: readonly string[];
  /** SQL expression of the seconds after which an answer is another one though no row has changed; 0 is never. */
  lasts: string;
}

export interface ProjectRoutes {
  collection: Collection;
  /** The ids that paths may hold after the project's, outermost first. */
  items: readonly PathItem[];
  /** Is the project what a write is about, and not the last item of the path? */
  subject?: 'project';
  sources?: AnswerSources;
}

export const PUBLIC = 'gosset:public';
export const SIGNED_IN = 'gosset:signed-in';
export const ROUTE_ACCESS = 'gosset:access';
export const PROJECT_ROUTES = 'gosset:project-routes';

/** Opens a route or controller to everybody; without it, `SignedIn` or `Can` the server does not start. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

/**
 * A page for whoever is signed in: about their own things, or in a project with `InProject`. API tokens do not open it.
 * @param ownIds path parameters with the ids of their own things, which the handler looks up among those
 */
export const SignedIn = (...ownIds: readonly string[]): MethodDecorator & ClassDecorator =>
  SetMetadata(SIGNED_IN, ownIds);

/** Is the route open to everybody? */
export const isPublic = (reflector: Reflector, context: ExecutionContext): boolean =>
  isMarked(PUBLIC, reflector, context);

/** Is the route for whoever is signed in? */
export const needsSession = (reflector: Reflector, context: ExecutionContext): boolean =>
  isMarked(SIGNED_IN, reflector, context);

/** Is the route one of the API, which tokens open? So is what nobody has decided about. */
export const needsToken = (reflector: Reflector, context: ExecutionContext): boolean =>
  !isPublic(reflector, context) && !needsSession(reflector, context);

function isMarked(mark: string, reflector: Reflector, context: ExecutionContext): boolean {
  const targets = [context.getHandler(), context.getClass()];
  return (reflector.getAllAndOverride<unknown>(mark, targets) ?? false) !== false;
}

/** Who may use the route: whoever has the permission in the team that the path leads to. */
export const Can = (permission: NeededPermission, options: { ability?: Ability } = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(ROUTE_ACCESS, { permission, ...options } satisfies RouteAccess),
    ApiBearerAuth(),
  );

/** Declares what the routes of a controller under `/projects/{project}` are about, those of the API and pages alike. */
export const InProject = (routes: ProjectRoutes): ClassDecorator => SetMetadata(PROJECT_ROUTES, routes);
