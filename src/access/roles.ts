/** From the one that may least to the one that may most. */
export const ROLES = ['viewer', 'editor', 'publisher', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** What a role may do; the columns are the roles, the rows the permissions. */
const TABLE = {
  'read':                ['viewer', 'editor', 'publisher', 'admin'],
  'definitions:write':   [          'editor', 'publisher', 'admin'],
  'experiments:prepare': [          'editor', 'publisher', 'admin'],
  'experiments:run':     [                    'publisher', 'admin'],
  'project:settings':    [                    'publisher', 'admin'],
  'project:delete':      [                                 'admin'],
  'members:manage':      [                                 'admin'],
} as const satisfies Record<string, readonly Role[]>; // prettier-ignore

/**
 * - `read`: everything of the team
 * - `definitions:write`: create, update, delete, clone experiments, variations, audiences, pages, goals
 * - `experiments:prepare`: moves between draft and preview, and back from the archive to draft
 * - `experiments:run`: every move to running, pause or archive, or away from running; delete a running
 *   experiment; publish
 * - `project:settings`: update the project
 * - `project:delete`, `members:manage`
 */
export type Permission = keyof typeof TABLE;

export const PERMISSIONS = Object.keys(TABLE) as Permission[];

/** The roles that have a permission, from the one that may least. */
export const rolesWith = (permission: Permission): readonly Role[] => TABLE[permission];

export function roleAllows(role: Role, permission: Permission): boolean {
  return rolesWith(permission).includes(role);
}
