import { Permission, PERMISSIONS, Role, roleAllows, ROLES } from './roles';

const ALLOWED: Record<Permission, Role[]> = {
  read: ['viewer', 'editor', 'publisher', 'admin'],
  'definitions:write': ['editor', 'publisher', 'admin'],
  'events:write': ['editor', 'publisher', 'admin'],
  'experiments:prepare': ['editor', 'publisher', 'admin'],
  'experiments:run': ['publisher', 'admin'],
  'project:settings': ['publisher', 'admin'],
  'projects:create': ['admin'],
  'project:delete': ['admin'],
  'environments:manage': ['admin'],
  'members:manage': ['admin'],
  'visitors:delete': ['admin'],
};

describe('roleAllows', () => {
  const cells = PERMISSIONS.flatMap((permission) =>
    ROLES.map((role): [Role, Permission] => [role, permission]),
  );

  it.each(cells)('%s %s', (role, permission) => {
    expect(roleAllows(role, permission)).toBe(ALLOWED[permission].includes(role));
  });

  it('knows every permission', () => {
    expect([...PERMISSIONS].sort()).toEqual(Object.keys(ALLOWED).sort());
  });

  it('gives every role the permissions of the previous one', () => {
    for (const permission of PERMISSIONS) {
      const allowed = ROLES.map((role) => Number(roleAllows(role, permission)));
      expect(allowed).toEqual([...allowed].sort());
    }
  });
});
