import { AUDIT_ACTIONS, type AuditAction } from '../../audit-log';
import { ValidationError } from '../../../common/errors/api-errors';
import type { AuditEntryRecord } from '../audit-entry.record';

/** A change to a definition that can be undone. */
export type Change = 'create' | 'update' | 'delete';

/** The change that an action made, or what to do instead of reverting it. A revert can itself be any kind of change. */
type Decision = Change | 'any' | { instead: string };

const instead = (text: string): Decision => ({ instead: text });

const MEMBERS = instead('Change the member instead: PATCH or DELETE /api/teams/{team}/members/{user}.');
const PERSONAL = instead('Sign-ins, passwords and tokens cannot be reverted.');
const USERS = instead('Use the admin command for users instead.');

/** The decision for every action in the audit log. */
const DECISIONS: Readonly<Record<AuditAction, Decision>> = {
  create: 'create',
  clone: 'create',
  restore: 'create',
  update: 'update',
  delete: 'delete',
  revert: 'any',
  status: instead(
    'Change the status instead: PATCH /api/projects/{project}/experiments/{experiment}/status.',
  ),
  publish: instead('Roll back instead: POST /api/projects/{project}/publications/{revision}/rollback.'),
  'set-method': instead('Change the settings instead: PATCH /api/projects/{project}/settings.'),
  'rotate-previews': instead('Earlier preview links stay invalid. Use the current preview_url.'),
  'rotate-share-token': instead('The earlier share link stays invalid. Share the current link.'),
  'schedule-refused': instead("Nothing was changed. Set the experiment's starts_at or ends_at again."),
  'rotate-secret': instead('Earlier secrets stay invalid. Use the current secret.'),
  test: instead('A test message changes nothing.'),
  retry: instead('A sent message cannot be recalled.'),
  'move-start': instead(
    'The start was moved to match imported data. To undo this, import the data into a clone of the experiment instead.',
  ),
  'exclude-visitors': instead('Include the visitors again: admin visitors:include.'),
  'include-visitors': instead('Exclude the visitors again: admin visitors:exclude.'),
  'delete-visitor': instead("The visitor's data has been deleted."),
  purge: instead('Purged data cannot be recovered. Create the record again.'),
  'add-member': MEMBERS,
  'set-role': MEMBERS,
  'remove-member': MEMBERS,
  'invite-again': PERSONAL,
  'accept-invitation': PERSONAL,
  'sign-in': PERSONAL,
  'sign-in-failed': PERSONAL,
  'sign-out': PERSONAL,
  'end-session': PERSONAL,
  'end-sessions': PERSONAL,
  'set-password': PERSONAL,
  revoke: PERSONAL,
  'link-identity': PERSONAL,
  'unlink-identity': PERSONAL,
  'set-rate-limit': USERS,
  disable: USERS,
  enable: USERS,
};

/** The error for an entry that cannot be reverted. */
export const notRevertible = (reason: string): ValidationError =>
  new ValidationError([{ path: 'entry', message: reason, code: 'NOT_REVERTIBLE' }]);

/** The change that an entry records. @throws ValidationError with an alternative if it cannot be reverted */
export function changeOf({
  action,
  before,
  after,
}: Pick<AuditEntryRecord, 'action' | 'before' | 'after'>): Change {
  const known = AUDIT_ACTIONS.find((each) => each === action);
  const decision = known === undefined ? instead('The action is unknown.') : DECISIONS[known];
  if (typeof decision === 'object') {
    throw notRevertible(`The action ${action} cannot be reverted. ${decision.instead}`);
  }
  const change = before === null ? 'create' : after === null ? 'delete' : 'update';
  const isWhole = (change === 'delete' ? before : after) !== null;
  if (!isWhole || (decision !== 'any' && decision !== change)) {
    throw notRevertible('The entry does not record the changed fields. Edit the record directly.');
  }
  return change;
}
