import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  MissingAbilityError,
  UnauthenticatedError,
  UnauthorizedRoleError,
} from '../common/errors/api-errors';
import { type Actor, signedInUser } from './actor';
import { roleAllows } from './roles';
import {
  isPublic,
  needsSession,
  PROJECT_ROUTES,
  ProjectRoutes,
  ROUTE_ACCESS,
  RouteAccess,
  TEAM_ROUTES,
  TeamRoutes,
} from './route-access';
import { ResolvedRequest, ScopeResolver } from './scope-resolver';
import type { ProjectScope, TeamScope } from './scope';

/**
 * Checks every request in this order: authentication 401, ability 403, existence and visibility 404, role 403. A
 * handler never gets an id that its caller may not see. On pages, the session guard has already found the user.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly scopes: ScopeResolver,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isPublic(this.reflector, context)) {
      return true;
    }
    const request = context.switchToHttp().getRequest<ResolvedRequest>();
    const routes = this.reflector.get<ProjectRoutes | undefined>(PROJECT_ROUTES, context.getClass());
    if (needsSession(this.reflector, context)) {
      return this.openPage(request, routes);
    }
    const targets = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, targets);
    if (access === undefined) {
      return false;
    }
    if (request.actor === undefined) {
      throw new UnauthenticatedError();
    }
    const { actor } = request;
    const team = this.reflector.get<TeamRoutes | undefined>(TEAM_ROUTES, context.getClass());
    requireAbility(actor, access, request.method);
    request.resolve = async () => {
      const scope = await this.scopes.resolve(request, actor, { project: routes, team });
      if ('role' in scope) {
        requireRole(scope, access, request.body);
      }
      request.scope = scope;
    };
    await request.resolve();
    return true;
  }

  /** Pages in a project need read access in its team. */
  private async openPage(request: ResolvedRequest, routes: ProjectRoutes | undefined): Promise<boolean> {
    const user = signedInUser(request);
    if (user === undefined || routes === undefined) {
      return user !== undefined;
    }
    const place = await this.scopes.resolvePlace(request, user.userId, routes);
    if (!roleAllows(place.role, 'read')) {
      throw new UnauthorizedRoleError(place.role, 'read');
    }
    request.place = place;
    return true;
  }
}

function requireAbility(actor: Actor, access: RouteAccess, method: string): void {
  const ability = access.ability ?? (['GET', 'HEAD'].includes(method) ? 'read' : 'write');
  if (!actor.abilities.includes(ability)) {
    throw new MissingAbilityError(ability);
  }
}

function requireRole(scope: TeamScope, access: RouteAccess, body: unknown): void {
  const { permission: needed } = access;
  const permission = typeof needed === 'function' ? needed(scope as ProjectScope, body) : needed;
  if (!roleAllows(scope.role, permission)) {
    throw new UnauthorizedRoleError(scope.role, permission);
  }
}
