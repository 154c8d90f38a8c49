import type { CanActivate, ExecutionContext } from '@nestjs/common';
import {
  MissingAbilityError,
  UnauthenticatedError,
  UnauthorizedRoleError,
} from '../../common/errors/api-errors';
import { readBody } from '../../common/http/json-body';
import { type Actor, signedInUser } from './actor';
import { roleAllows } from './roles';
import type { RouteAccess, RouteDeclaration } from './route-access';
import { ResolvedRequest, ScopeResolver } from './scope-resolver';
import type { ProjectScope, TeamScope } from './scope';

/**
 * Checks each request to a route in this order: authentication (401), ability (403), existence and visibility (404),
 * role (403). Handlers get only ids that the caller may see. For requests to pages, the session guard has already
 * identified the user.
 */
export class AccessGuard implements CanActivate {
  constructor(
    private readonly scopes: ScopeResolver,
    private readonly route: RouteDeclaration,
  ) {}

  canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ResolvedRequest>();
    return this.route.needsSession ? this.openPage(request) : this.openRecords(request);
  }

  private async openRecords(request: ResolvedRequest): Promise<boolean> {
    const { access } = this.route;
    if (access === null) {
      return false;
    }
    if (request.actor === undefined) {
      throw new UnauthenticatedError();
    }
    const { actor } = request;
    requireAbility(actor, access, request.method);
    // The permission can depend on the body.
    await readBody(request);
    request.resolve = async () => {
      const scope = await this.scopes.resolve(request, actor, this.route);
      if ('role' in scope) {
        requireRole(scope, access, request.body);
      }
      request.scope = scope;
    };
    await request.resolve();
    return true;
  }

  /** Pages in a project need read access in the project's team. */
  private async openPage(request: ResolvedRequest): Promise<boolean> {
    const user = signedInUser(request);
    const { projectRoutes } = this.route;
    if (user === undefined || projectRoutes === null) {
      return user !== undefined;
    }
    const place = await this.scopes.resolvePlace(request, user.userId, projectRoutes);
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
