/** The actions of audit entries. `src/history/revert` decides for each whether it can be reverted. */
export const AUDIT_ACTIONS = [
  'create',
  'clone',
  'update',
  'delete',
  'revert',
  'restore',
  'purge',
  'status',
  'publish',
  'set-method',
  'rotate-previews',
  'rotate-share-token',
  'schedule-refused',
  'rotate-secret',
  'test',
  'retry',
  'move-start',
  'exclude-visitors',
  'include-visitors',
  'delete-visitor',
  'revoke',
  'add-member',
  'set-role',
  'remove-member',
  'invite-again',
  'accept-invitation',
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'end-session',
  'end-sessions',
  'set-password',
  'link-identity',
  'unlink-identity',
  'set-rate-limit',
  'disable',
  'enable',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The actions of entries that belong to a project; the later ones are about users, tokens and teams. */
export const PROJECT_ACTIONS: readonly AuditAction[] = AUDIT_ACTIONS.slice(
  0,
  AUDIT_ACTIONS.indexOf('revoke'),
);

/** Changes of definitions. When they undo an earlier change, their entries have the action `revert`. */
const CHANGES: readonly AuditAction[] = ['create', 'update', 'delete', 'restore'];

/** The action of an entry. @param isReverting whether the change undoes an earlier one */
export const noted = (action: AuditAction, isReverting: boolean): AuditAction =>
  isReverting && CHANGES.includes(action) ? 'revert' : action;
