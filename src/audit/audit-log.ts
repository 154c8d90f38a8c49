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

const MAX_JSON = 2_000_000;
const MAX_TEXT = 1_000;

/** A record may have more code in it than a column takes; then long texts are noted by their beginning and length. */
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

/** Adds entries to the audit log, in the transaction of the changes they tell of. */
export async function audit(
  tx: Tx,
  author: Author,
  projectId: number | null,
  notes: readonly AuditNote[],
): Promise<void> {
  const isPerson = typeof author === 'object';
  const source = isPerson ? (author.tokenId === null ? 'page' : 'api') : author;
  const rows = notes.map(({ action, itemType, itemId, before, after }) => [
    nowMicros(),
    source,
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
