import { Permission, ROLES, roleAllows } from '../access/roles';
import type { DeclaredRoute } from '../access/route-audit';
import type { NeededPermission, RouteAccess } from '../access/route-access';

/** Which token and which role an operation needs, by method and path as the document writes them: `get /api/teams`. */
export function accessTexts(routes: readonly DeclaredRoute[]): Map<string, string> {
  return new Map(
    routes.flatMap(({ method, path, access }) =>
      access === null
        ? []
        : [[`${method.toLowerCase()} /api/${path.replace(/:(\w+)/g, '{$1}')}`, textOf(method, path, access)]],
    ),
  );
}

function textOf(method: string, path: string, { permission, ability }: RouteAccess): string {
  const needed = ability ?? (method === 'GET' ? 'read' : 'write');
  const role = path.includes(':') ? ` ${roleText(permission)}` : '';
  return `**Needs** a token with the ability \`${needed}\`.${role}`;
}

function roleText(permission: NeededPermission): string {
  return typeof permission === 'function'
    ? 'Which role is needed depends on what is asked for, as said above.'
    : `Roles that may: ${rolesWith(permission).join(', ')} (\`${permission}\`).`;
}

const rolesWith = (permission: Permission): string[] => ROLES.filter((role) => roleAllows(role, permission));
