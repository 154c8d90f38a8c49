import { addressOf } from '../access/api-prefix';
import { Permission, ROLES, roleAllows } from '../access/roles';
import type { DeclaredRoute } from '../access/route-audit';
import type { NeededPermission, RouteAccess } from '../access/route-access';

/** The token and role that each operation requires, by method and path: `get /api/teams`. */
export function accessTexts(routes: readonly DeclaredRoute[]): Map<string, string> {
  return new Map(
    routes.flatMap(({ method, path, access }) =>
      access === null
        ? []
        : [[`${method.toLowerCase()} /api/${path.replace(/:(\w+)/g, '{$1}')}`, textOf(method, path, access)]],
    ),
  );
}

/** The operations that require neither a token nor a session, by method and path: `get /health/live`. */
export const publicOperations = (routes: readonly DeclaredRoute[]): ReadonlySet<string> =>
  new Set(
    routes
      .filter(({ isPublic }) => isPublic)
      .map(({ method, path, needsSession }) => `${method.toLowerCase()} ${addressOf(path, needsSession)}`),
  );

function textOf(method: string, path: string, { permission, ability }: RouteAccess): string {
  const needed = ability ?? (method === 'GET' ? 'read' : 'write');
  const role = path.includes(':') ? ` ${roleText(permission)}` : '';
  return `**Needs** a token with the ability \`${needed}\`.${role}`;
}

function roleText(permission: NeededPermission): string {
  return typeof permission === 'function'
    ? 'The required role depends on the request, as described above.'
    : `Allowed roles: ${rolesWith(permission).join(', ')} (\`${permission}\`).`;
}

const rolesWith = (permission: Permission): string[] => ROLES.filter((role) => roleAllows(role, permission));
