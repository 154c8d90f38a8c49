import type { EntityManager } from 'typeorm';
import { apiNameFrom, apiNameStem, nextFreeApiName } from '../common/text/names';
import type { Failures } from '../common/validation/failures';

/** The scope within which an api_name is unique: rows of a table with these column values. */
interface Namespace {
  table: string;
  within: Readonly<Record<string, number>>;
}

/** Upper bound for a prefix search: this character sorts after every allowed character. */
const AFTER_ALL = '{';

/** The api_names with a given prefix that are already in use. */
async function takenNames(
  manager: EntityManager,
  { table, within }: Namespace,
  prefix: string,
): Promise<Set<string>> {
  const conditions = [
    ...Object.keys(within).map((column) => `${column} = ?`),
    'api_name >= ?',
    'api_name < ?',
  ];
  const rows: { api_name: string }[] = await manager.query(
    `SELECT api_name FROM ${table} WHERE ${conditions.join(' AND ')}`,
    [...Object.values(within), prefix, prefix + AFTER_ALL],
  );
  return new Set(rows.map((row) => row.api_name));
}

/** The scope within which an api_name must be unique. */
export interface Siblings extends Namespace {
  /** Fallback for names without a letter or digit. */
  fallback: string;
}

interface NamedFields {
  api_name?: string;
  name?: string;
}

/** A free api_name: the requested one, or the first free one with a number appended. */
export async function freeApiName(
  manager: EntityManager,
  siblings: Siblings,
  wanted: string,
): Promise<string> {
  const taken = await takenNames(manager, siblings, apiNameStem(wanted));
  return nextFreeApiName(wanted, taken);
}

/** The api_name of a new record: the requested one, with an error if it is taken, or one derived from the name. */
export async function newApiName(
  manager: EntityManager,
  siblings: Siblings,
  { api_name: asked, name = '' }: NamedFields,
  failures: Failures,
): Promise<string> {
  if (asked === undefined) {
    return freeApiName(manager, siblings, apiNameFrom(name, siblings.fallback));
  }
  const taken = await takenNames(manager, siblings, asked);
  if (taken.has(asked)) {
    failures.add('api_name', 'The api name has already been taken.');
  }
  return asked;
}

/**
 * The requested or default api_name of a new record, without checking whether it is free. Most names are free, so a
 * lookup before each insert would be wasted. The unique index detects conflicts.
 */
export function likelyApiName(siblings: Siblings, { api_name: asked, name = '' }: NamedFields): string {
  return asked ?? apiNameFrom(name, siblings.fallback);
}

/** Rejects changing an api_name to one that is taken. */
export async function checkApiNameChange(
  manager: EntityManager,
  siblings: Siblings,
  current: string,
  asked: string | undefined,
  failures: Failures,
): Promise<void> {
  if (asked !== undefined && asked !== current) {
    await newApiName(manager, siblings, { api_name: asked }, failures);
  }
}
