import { applyDecorators, SetMetadata } from '@nestjs/common';
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

export interface ProjectRoutes {
  collection: Collection;
  /** The ids that paths may hold after the project's, outermost first. */
  items: readonly PathItem[];
}

export const PUBLIC = 'gosset:public';
export const ROUTE_ACCESS = 'gosset:access';
export const PROJECT_ROUTES = 'gosset:project-routes';

/** Opens a route or controller to everybody; without it, and without `Can`, the server does not start. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

/** Who may use the route: whoever has the permission in the team that the path leads to. */
export const Can = (permission: NeededPermission, options: { ability?: Ability } = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(ROUTE_ACCESS, { permission, ...options } satisfies RouteAccess),
    ApiBearerAuth(),
  );

/** Declares what the routes of a controller under `/projects/{project}` are about. */
export const InProject = (routes: ProjectRoutes): ClassDecorator => SetMetadata(PROJECT_ROUTES, routes);
