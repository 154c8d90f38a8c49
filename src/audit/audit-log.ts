import type { Author } from '../access/actor';
import { nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { type AuditAction, noted } from './audit-actions';
import { insertAuditEntries } from './audit.store';

/** The action, and the changed fields before and after. */
export interface AuditNote {
  action: AuditAction;
  itemType: string;
  itemId: number;
  /** Not needed where `before` or `after` has the name. */
  itemName?: string | null;
  before: object | null;
  after: object | null;
}

const MAX_JSON = 2_000_000;
const MAX_TEXT = 1_000;

/** A record's code may exceed the column size. Long texts are then stored as beginning and length. */
function asJson(value: object | null): string | null {
  if (value === null) {
    return null;
  }
  const whole = JSON.stringify(value);
  return whole.length <= MAX_JSON ? whole : JSON.stringify(value, (_, part: unknown) => shortened(part));
}

function shortened(part: unknown): unknown {
  return typeof part === 'string' && part.length > MAX_TEXT
    ? `${part.slice(0, MAX_TEXT).toWellFormed()}… (${part.length} characters)`
    : part;
}

const nameIn = (record: object | null): string | null =>
  record !== null && 'name' in record && typeof record.name === 'string' ? record.name : null;

/** Adds entries to the audit log, in the transaction of their changes. */
export async function audit(
  tx: Tx,
  author: Author,
  projectId: number | null,
  notes: readonly AuditNote[],
): Promise<void> {
  const isPerson = typeof author === 'object';
  const source = isPerson ? (author.tokenId === null ? 'page' : 'api') : author;
  const entries = notes.map(({ action, itemType, itemId, itemName, before, after }) => ({
    at: nowMicros(),
    source,
    user_id: isPerson ? author.userId : null,
    token_id: isPerson ? author.tokenId : null,
    request_id: (isPerson && author.requestId) || null,
    action: noted(action, isPerson && 'isReverting' in author && author.isReverting === true),
    project_id: projectId,
    item_type: itemType,
    item_id: itemId,
    item_name: itemName ?? nameIn(after) ?? nameIn(before),
    before: asJson(before),
    after: asJson(after),
  }));
  await insertAuditEntries(tx, entries);
}
