import type { Author } from '../platform/access/actor';
import { pageRequestId } from '../platform/access/page-context';
import { foldName } from '../common/text/names';
import { nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { insertAuditEntries } from './audit.store';

/** The actions of audit entries. `src/audit/history/revert` decides which of them can be reverted. */
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

/** The actions of entries that belong to a project. The remaining actions concern users, tokens and teams. */
export const PROJECT_ACTIONS: readonly AuditAction[] = AUDIT_ACTIONS.slice(
  0,
  AUDIT_ACTIONS.indexOf('revoke'),
);

/** Changes to definitions. If a change undoes an earlier one, its entry has the action `revert`. */
const CHANGES: readonly AuditAction[] = ['create', 'update', 'delete', 'restore'];

/** The action of an entry. @param isReverting whether the change undoes an earlier one */
const noted = (action: AuditAction, isReverting: boolean): AuditAction =>
  isReverting && CHANGES.includes(action) ? 'revert' : action;

/** The action, and the changed fields before and after. */
export interface AuditNote {
  action: AuditAction;
  itemType: string;
  itemId: number;
  /** Not needed if `before` or `after` contains the name. */
  itemName?: string | null;
  before: object | null;
  after: object | null;
}

const MAX_JSON = 2_000_000;
const MAX_TEXT = 1_000;
const SHORTENED = new RegExp(`^[^]{${MAX_TEXT}}… \\(\\d+ characters\\)$`);

/**
 * The JSON to store. A record with long code can exceed the column size. In that case, long strings are truncated and
 * stored with their length.
 */
function asJson(value: object | null): string | null {
  if (value === null) {
    return null;
  }
  const whole = JSON.stringify(value);
  return whole.length <= MAX_JSON ? whole : JSON.stringify(value, (_, part: unknown) => shortened(part));
}

/** A long string truncated, with its length. Other values, and strings that were truncated before, are unchanged. */
export function shortened(part: unknown): unknown {
  return typeof part === 'string' && part.length > MAX_TEXT && !isShortened(part)
    ? `${part.slice(0, MAX_TEXT).toWellFormed()}… (${part.length} characters)`
    : part;
}

/** Whether a string in an entry was truncated, either when it was stored or for a list. */
export const isShortened = (text: string): boolean => SHORTENED.test(text);

const nameIn = (record: object | null): string | null =>
  record !== null && 'name' in record && typeof record.name === 'string' ? record.name : null;

/** The id of the API or page request in which a person makes a change; null outside requests. */
const requestIdOf = (author: Exclude<Author, string>): string | null =>
  ('requestId' in author ? author.requestId : undefined) ?? pageRequestId() ?? null;

/** Adds entries to the audit log, in the transaction of their changes. */
export async function audit(
  tx: Tx,
  author: Author,
  projectId: number | null,
  notes: readonly AuditNote[],
): Promise<void> {
  const isPerson = typeof author === 'object';
  const source = isPerson ? (author.tokenId === null ? 'page' : 'api') : author;
  const entries = notes.map(({ action, itemType, itemId, itemName, before, after }) => {
    const name = itemName ?? nameIn(after) ?? nameIn(before);
    return {
      at: nowMicros(),
      source,
      user_id: isPerson ? author.userId : null,
      token_id: isPerson ? author.tokenId : null,
      request_id: isPerson ? requestIdOf(author) : null,
      action: noted(action, isPerson && 'isReverting' in author && author.isReverting === true),
      project_id: projectId,
      item_type: itemType,
      item_id: itemId,
      item_name: name,
      item_search: name === null ? null : foldName(name),
      before: asJson(before),
      after: asJson(after),
    };
  });
  await insertAuditEntries(tx, entries);
}
