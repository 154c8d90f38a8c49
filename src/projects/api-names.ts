import type { EntityManager } from 'typeorm';
import { apiNameFrom, nextFreeApiName } from '../common/text/names';
import type { Failures } from '../common/validation/failures';

/** Among which records an api_name must be unique. */
export interface Siblings {
  table: string;
  /** SQL condition with `?` parameters. */
  where: string;
  parameters: (string | number)[];
  /** Used where a name has no letter or digit to make an api_name of. */
  fallback: string;
}

interface NamedFields {
  api_name?: string;
  name?: string;
}

/** All names with the prefix lie between it and it with this character, which sorts after every allowed one. */
const AFTER_ALL = '{';

async function takenNames(manager: EntityManager, siblings: Siblings, prefix: string): Promise<Set<string>> {
  const rows: { api_name: string }[] = await manager.query(
    `SELECT api_name FROM ${siblings.table} WHERE ${siblings.where} AND api_name >= ? AND api_name < ?`,
    [...siblings.parameters, prefix, prefix + AFTER_ALL],
  );
  return new Set(rows.map((row) => row.api_name));
}

/** An api_name that is free: the wanted one, or with the first free number. */
export async function freeApiName(
  manager: EntityManager,
  siblings: Siblings,
  wanted: string,
): Promise<string> {
  const taken = await takenNames(manager, siblings, wanted.slice(0, 56));
  return nextFreeApiName(wanted, taken);
}

/** The api_name of a new record: as asked for, which fails when it is taken, or made from its name. */
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
 * The api_name that a new record gets unless it is taken. Whether it is, the unique index tells: most are free, and
 * a look-up before each insert would be in vain.
 */
export function likelyApiName(siblings: Siblings, { api_name: asked, name = '' }: NamedFields): string {
  return asked ?? apiNameFrom(name, siblings.fallback);
}

/** Refuses to change an api_name to one that another record has. */
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
