import { shortened } from '../audit-log';
import type { AuditEntryRecord } from './audit-entry.record';

type Fields = AuditEntryRecord['after'];

/** Maximum length of a field as JSON, in characters. */
const MAX_FIELD = 10_000;

/**
 * The entry with long strings truncated, as when an entry is stored. A field that is still long is shown as the
 * beginning of its JSON.
 */
export const withShortFields = (entry: AuditEntryRecord): AuditEntryRecord => ({
  ...entry,
  before: shortFields(entry.before),
  after: shortFields(entry.after),
});

function shortFields(fields: Fields): Fields {
  const short = Object.entries(fields ?? {}).map(([name, value]) => [name, shortField(value)] as const);
  // Copies the result, because truncated strings refer to the whole strings and keep them in memory.
  return fields && (JSON.parse(JSON.stringify(Object.fromEntries(short))) as Fields);
}

function shortField(value: unknown): unknown {
  const short = JSON.stringify(value, (_, part: unknown) => shortened(part));
  return short.length <= MAX_FIELD ? (JSON.parse(short) as unknown) : shortened(JSON.stringify(value));
}
