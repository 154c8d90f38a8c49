import { PROJECT_ACTIONS } from '../audit-log';
import { listValue, type RawQuery, singleValue } from '../../common/lists/list-query';
import type { Micros } from '../../common/time/clock';
import type { Failures } from '../../common/validation/failures';
import { parseResponseTime } from '../../common/time/clock';
import { RESOURCES } from '../../resources/registry';

/** The kinds of records in a project's audit log. */
export const ITEM_TYPES: readonly string[] = [
  'project',
  'project_settings',
  'experiment',
  'variation',
  ...RESOURCES.map(({ type }) => type),
  'webhook',
  'visitor',
  'visitor_exclusion',
];

/** The requested audit entries; null selects all. */
export interface HistoryFilter {
  itemTypes: readonly string[] | null;
  itemId: number | null;
  userId: number | null;
  actions: readonly string[] | null;
  /** Inclusive. */
  since: Micros | null;
  /** Exclusive. */
  until: Micros | null;
  /** Return only entries with a higher id. */
  afterId: number | null;
  /** A part of the record name; null for all. */
  search: string | null;
  /** Return only these entries; null for all. */
  ids: readonly number[] | null;
}

/** Selects all entries. */
export const EVERYTHING: HistoryFilter = {
  itemTypes: null,
  itemId: null,
  userId: null,
  actions: null,
  since: null,
  until: null,
  afterId: null,
  search: null,
  ids: null,
};

/** Reads the audit log filter. */
export function readHistoryFilter(query: RawQuery, failures: Failures): HistoryFilter {
  return {
    itemTypes: readNames(query, 'item_type', ITEM_TYPES, failures),
    itemId: readId(query, 'item_id', failures),
    userId: readId(query, 'user_id', failures),
    actions: readNames(query, 'action', PROJECT_ACTIONS, failures),
    since: readTime(query, 'since', failures),
    until: readTime(query, 'until', failures),
    afterId: readId(query, 'after_id', failures),
    search: singleValue(query, 'search', failures)?.trim() || null,
    ids: null,
  };
}

/**
 * The names listed in a parameter. Rejects unknown or missing names, because they would match no entries, and it would
 * look as if nothing had changed.
 */
function readNames(
  query: RawQuery,
  name: string,
  known: readonly string[],
  failures: Failures,
): string[] | null {
  const names = listValue(query, name);
  if (names?.length === 0 || names?.some((each) => !known.includes(each))) {
    failures.add(name, `The ${name} must be one or more of: ${known.join(', ')}.`);
  }
  return names;
}

/** The largest integer with 15 digits. JSON numbers can represent every integer up to this value exactly. */
const MAX_FILTER_ID = 999_999_999_999_999;

function readId(query: RawQuery, name: string, failures: Failures): number | null {
  const value = singleValue(query, name, failures);
  if (value !== null && !/^\d{1,15}$/.test(value)) {
    failures.add(name, `The ${name} parameter must be a whole number between 0 and ${MAX_FILTER_ID}.`);
    return null;
  }
  return value === null ? null : Number(value);
}

function readTime(query: RawQuery, name: string, failures: Failures): Micros | null {
  const value = singleValue(query, name, failures);
  const time = value === null ? null : parseResponseTime(value);
  if (value !== null && time === null) {
    failures.add(name, `The ${name} parameter must be a time such as 2026-05-01T09:30:00Z.`);
  }
  return time;
}
