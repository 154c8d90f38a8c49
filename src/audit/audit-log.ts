import type { Author } from '../access/actor';
import { nowMicros } from '../common/time/clock';
import type { Tx } from '../database/database';
import { placeholders } from '../database/row-store';

/** What was done, and the changed fields before and after. */
export interface AuditNote {
  action: string;
  itemType: string;
  itemId: number;
  before: object | null;
  after: object | null;
}

const COLUMNS = [
  'at',
  'source',
  'user_id',
  'token_id',
  'action',
  'project_id',
  'item_type',
  'item_id',
  'before',
  'after',
].map((column) => `\`${column}\``);

const asJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Adds entries to the audit log, in the transaction of the changes they tell of. */
export async function audit(tx: Tx, author: Author, projectId: number | null, notes: readonly AuditNote[]): Promise<void> {
  const isPerson = typeof author === 'object';
  const rows = notes.map(({ action, itemType, itemId, before, after }) => [
    nowMicros(),
    isPerson ? 'api' : author,
    isPerson ? author.userId : null,
    isPerson ? author.tokenId : null,
    action,
    projectId,
    itemType,
    itemId,
    asJson(before),
    asJson(after),
  ]);
  if (rows.length > 0) {
    const tuples = rows.map((row) => `(${placeholders(row.length)})`).join(', ');
    await tx.query(`INSERT INTO audit_entries (${COLUMNS.join(', ')}) VALUES ${tuples}`, rows.flat());
  }
}
