/** From the fewest permissions to the most. */
export const ROLES = ['viewer', 'editor', 'publisher', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** The permissions of each role: columns are roles, rows are permissions. */
const TABLE = {
  'read':                ['viewer', 'editor', 'publisher', 'admin'],
  'definitions:write':   [          'editor', 'publisher', 'admin'],
  'events:write':        [          'editor', 'publisher', 'admin'],
  'experiments:prepare': [          'editor', 'publisher', 'admin'],
  'experiments:run':     [                    'publisher', 'admin'],
  'project:settings':    [                    'publisher', 'admin'],
  'projects:create':     [                                 'admin'],
  'project:delete':      [                                 'admin'],
  'environments:manage': [                                 'admin'],
  'members:manage':      [                                 'admin'],
  'visitors:delete':     [                                 'admin'],
} as const satisfies Record<string, readonly Role[]>; // prettier-ignore

/**
 * - `read`: all records of the team
 * - `definitions:write`: create, update, delete, clone experiments, variations, audiences, pages, goals
 * - `events:write`: send trusted events
 * - `experiments:prepare`: change the status between draft and preview, or from archive to draft
 * - `experiments:run`: change the status to running, pause or archive, or away from running; delete a running
 *   experiment; publish
 * - `project:settings`: update the project and its settings
 * - `projects:create`, `project:delete`, `environments:manage`, `members:manage`
 * - `visitors:delete`: delete the stored data of a visitor
 */
export type Permission = keyof typeof TABLE;

export const PERMISSIONS = Object.keys(TABLE) as Permission[];

/** The roles that have a permission, from the fewest permissions to the most. */
export const rolesWith = (permission: Permission): readonly Role[] => TABLE[permission];

export function roleAllows(role: Role, permission: Permission): boolean {
  return rolesWith(permission).includes(role);
}
