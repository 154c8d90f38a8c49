import { isDeepStrictEqual } from 'node:util';
import { isShortened } from '../../audit-log';
import { Failures } from '../../../common/validation/failures';
import { labelOf } from '../../../common/validation/fields';
import { isObject } from '../../../common/validation/values';
import { ATTACHMENT_KINDS } from '../../../experiments/attachment.store';

export type Values = Readonly<Record<string, unknown>>;

/** Fields that can change even if the definition does not. */
const DERIVED = ['updated_at', 'preview_url'];
/** Fields that the server adds to a decision. */
const ADDED = ['decided_at', 'decided_by'];
/** Lists of records, of which only the ids belong to the experiment. */
const ATTACHED: readonly string[] = ATTACHMENT_KINDS;

/** Maximum length, in characters, of a value that is quoted in messages. */
const MAX_SHOWN = 80;

/** Whether the value contains a truncated string. Conditions contain strings inside lists and objects. */
export function isCut(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some(isCut);
  }
  return typeof value === 'string' && isShortened(value);
}

const without = (value: object, fields: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));

const idsOf = (list: readonly unknown[]): unknown[] =>
  list.map((entry) => (isObject(entry) && 'id' in entry ? entry.id : entry));

/** A value without derived parts, ready to be compared or sent. */
function plain(field: string, value: unknown): unknown {
  if (ATTACHED.includes(field) && Array.isArray(value)) {
    return idsOf(value);
  }
  if (field === 'decision' && isObject(value)) {
    return without(value, ADDED);
  }
  return field === 'variations' && Array.isArray(value)
    ? value.map((entry: unknown) => (isObject(entry) ? without(entry, DERIVED) : entry))
    : value;
}

/** Adds a failure for truncated text, which can be neither compared nor sent. */
function failCut(field: string, failures: Failures): void {
  const message = `The log stores only the beginning of the ${labelOf(field)} field. Set the field yourself.`;
  failures.add(field, message, 'NOT_REVERTIBLE');
}

/**
 * Adds a failure for each field of an entry that has changed since the entry was recorded, or whose value the log has
 * truncated.
 * @param after the values after the change @param current the current record
 */
export function checkUnchanged(after: Values, current: object, failures: Failures): void {
  const now = JSON.parse(JSON.stringify(current)) as Values;
  for (const [field, value] of Object.entries(after)) {
    const isCompared = field in now && !DERIVED.includes(field);
    if (isCompared && isCut(value)) {
      failCut(field, failures);
    } else if (isCompared && !isDeepStrictEqual(plain(field, value), plain(field, now[field]))) {
      failures.add(field, changedMessage(field, value, now[field]), 'CHANGED_SINCE');
    }
  }
}

function changedMessage(field: string, then: unknown, now: unknown): string {
  const [was, is] = [shown(then), shown(now)];
  const values = was === null || is === null ? '' : `: it was ${was} and is now ${is}`;
  return `The ${labelOf(field)} field changed after this entry${values}.`;
}

function shown(value: unknown): string | null {
  const text = JSON.stringify(value) ?? 'null';
  return typeof value === 'object' && value !== null ? null : text.length > MAX_SHOWN ? null : text;
}

/**
 * The request body that sets writable fields to the values recorded in an audit entry. Adds a failure
 * for a value that the log has truncated.
 * @param fields the fields to set @param writable the fields that a request accepts
 */
export function bodyOf(
  values: Values,
  fields: readonly string[],
  writable: readonly string[],
  failures: Failures,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields.filter((each) => writable.includes(each))) {
    const value = values[field] ?? null;
    if (isCut(value)) {
      failCut(field, failures);
    }
    body[field] = plain(field, value);
  }
  return body;
}
