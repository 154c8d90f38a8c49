import type { AuditEntryRecord } from '../../audit/history/audit-entry.record';
import { type ApiError, type Failure, ValidationError } from '../../common/errors/api-errors';
import { labelOf } from '../../common/validation/fields';
import { isObject } from '../../common/validation/values';
import { formatTimestamp } from '../../presentation/text/dates';
import { listed } from '../../common/text/strings';
import { textDiff } from '../../publishing/changes/text-diff';
import type { ChangeText } from '../publications/changes';

/** Maximum length in characters of a value that is shown in full. Longer values are shown as a diff. */
const MAX_VALUE = 80;
/** Fields that change with every update. */
const LEFT_OUT = ['updated_at', 'preview_url'];

/** `project_settings` -> `Project settings` */
export function inWords(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The record and the action of an entry: `Goal “Orders”: update` */
export function entryTitle({ item_type, item_id, item_name, action }: AuditEntryRecord): string {
  const name = item_name === null ? String(item_id) : `“${item_name}”`;
  return `${inWords(item_type)} ${name}: ${labelOf(action.replaceAll('-', '_'))}`;
}

/** An entry's changed fields in human-readable form; none for new and deleted records. */
export function entryChanges({ before, after }: AuditEntryRecord): ChangeText[] {
  if (before === null || after === null) {
    return [];
  }
  return Object.keys(after)
    .filter((field) => !LEFT_OUT.includes(field))
    .map((field) => fieldChange(inWords(field), ...timesInWords(field, before[field], after[field])));
}

/** Why an entry cannot be reverted, with field names as shown in the list of changes. */
export function obstacleInWords(obstacle: ApiError): string {
  if (!(obstacle instanceof ValidationError)) {
    return obstacle.message;
  }
  const isLater = ({ path, code }: Failure): boolean => code === 'CHANGED_SINCE' && path !== 'entry';
  const fields = obstacle.failures.filter(isLater).map(({ path }) => inWords(path));
  const others = obstacle.failures.filter((failure) => !isLater(failure)).map(({ message }) => message);
  const later = fields.length === 0 ? [] : [`${listed(fields)} changed after this entry.`];
  return [...later, ...others].join(' ');
}

/** The values of a field. Times are formatted as on other pages, unless both times are in the same minute. */
function timesInWords(field: string, before: unknown = null, after: unknown = null): [unknown, unknown] {
  const inMinutes = (value: unknown): unknown =>
    typeof value === 'string' && field.endsWith('_at') ? formatTimestamp(value) : value;
  const [old, now] = [inMinutes(before), inMinutes(after)];
  return old === now ? [before, after] : [old, now];
}

function fieldChange(label: string, before: unknown, after: unknown): ChangeText {
  const [old, now] = [shortValue(before), shortValue(after)];
  if (old !== null && now !== null && old !== now) {
    return { text: `${label}: ${old} → ${now}`, diff: null };
  }
  const { diff } = textDiff(longValue(before), longValue(after));
  return { text: `${label} changed`, diff: diff === '' ? null : diff };
}

/** Null for a long or compound value. Only records, which have an id, are shown by name alone. */
function shortValue(value: unknown): string | null {
  if (value === null) {
    return 'none';
  }
  if (Array.isArray(value)) {
    const names = value.map((entry: unknown) =>
      isRecord(entry) ? shortValue(entry.name) : shortValue(entry),
    );
    const text = names.length === 0 ? 'none' : names.join(', ');
    return names.includes(null) || names.includes('none') || text.length > MAX_VALUE ? null : text;
  }
  const text = typeof value === 'string' ? value : isObject(value) ? '\n' : JSON.stringify(value);
  return text.includes('\n') || text.length > MAX_VALUE ? null : text;
}

const isRecord = (value: unknown): value is { id: number; name: string } =>
  isObject(value) && typeof value.id === 'number' && typeof value.name === 'string';

const longValue = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value, null, 2);
