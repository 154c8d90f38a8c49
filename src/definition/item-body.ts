import { isDeepStrictEqual } from 'node:util';
import { ValidationError } from '../common/errors/api-errors';
import { type Failures, MAX_HINTS, unknownField } from '../common/validation/failures';
import type { Item } from './definition';
import type { DefinitionField } from './definition-fields';

/** Resolves the api_names of references. */
export interface References {
  /** The record ids in each collection, by api_name. */
  ids: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Rejected records from the document. Items that refer to them get no separate error. */
  rejected: ReadonlySet<string>;
  /** The api_names of a collection's records that will be deleted. */
  toPrune(collection: string): ReadonlySet<string>;
}

export const referenceKey = (collection: string, apiName: string): string => `${collection}/${apiName}`;

/** An item to be converted to a request body. */
export interface Submitted {
  fields: readonly DefinitionField[];
  item: Item;
  /** The current item; null for a new item. */
  current: Item | null;
  /** The item's path in the document. */
  path: string;
  /** Fields that the caller handles. */
  others?: readonly string[];
}

/**
 * The body of a request that creates the item, or updates the fields that have changed. Adds unknown fields, unknown
 * references, and references to records that will be deleted to the failures.
 * @returns null if the item refers to a rejected item
 */
export function toBody(
  { fields, item, current, path, others = [] }: Submitted,
  references: References,
  failures: Failures,
): Record<string, unknown> | null {
  refuseUnknown(path, item, [...fields.map(({ name }) => name), ...others], failures);
  refusePruned(path, item, fields, references, failures);
  const body: Record<string, unknown> = {};
  for (const { name, column, references: collection } of changedFields(fields, item, current)) {
    const value = item[name];
    if (collection === null) {
      body[column] = value;
      continue;
    }
    if (refersToRejected(value, collection, references)) {
      return null;
    }
    body[column] = resolved(value, collection, references, `${path}.${name}`, failures);
  }
  return body;
}

/** The fields of an item whose values differ from the current item. @param current null for a new item */
export const changedFields = (
  fields: readonly DefinitionField[],
  item: Item,
  current: Item | null,
): DefinitionField[] =>
  fields.filter(
    ({ name }) =>
      Object.hasOwn(item, name) && (current === null || !isDeepStrictEqual(item[name], current[name])),
  );

/** Adds the unknown fields of an item to the failures. */
export function refuseUnknown(path: string, item: Item, known: readonly string[], failures: Failures): void {
  for (const [index, name] of Object.keys(item)
    .filter((key) => !known.includes(key))
    .entries()) {
    failures.add(`${path}.${name}`, unknownField(name, index < MAX_HINTS ? known : []));
  }
}

/** Checks unchanged references too, because deleting a record detaches it from all items without an error. */
function refusePruned(
  path: string,
  item: Item,
  fields: readonly DefinitionField[],
  references: References,
  failures: Failures,
): void {
  for (const { name, references: collection } of fields) {
    if (collection === null) {
      continue;
    }
    const value = item[name];
    const pruned: ReadonlySet<unknown> = references.toPrune(collection);
    for (const [index, apiName] of [value].flat().entries()) {
      if (pruned.has(apiName)) {
        failures.add(
          Array.isArray(value) ? `${path}.${name}.${index}` : `${path}.${name}`,
          `The prune parameter deletes the ${singular(collection)} ${String(apiName)}, because the document does not contain it.`,
        );
      }
    }
  }
}

const singular = (collection: string): string => collection.replace(/s$/, '').replaceAll('_', ' ');

function refersToRejected(value: unknown, collection: string, { rejected }: References): boolean {
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.some((name) => typeof name === 'string' && rejected.has(referenceKey(collection, name)));
}

/** The value with ids instead of api_names; undefined if a reference has an error. */
function resolved(
  value: unknown,
  collection: string,
  references: References,
  path: string,
  failures: Failures,
): unknown {
  if (value === null) {
    return null;
  }
  if (Array.isArray(value)) {
    const ids = value.map((entry: unknown, index) =>
      idOf(entry, collection, references, `${path}.${index}`, failures),
    );
    return ids.includes(undefined) ? undefined : ids;
  }
  return idOf(value, collection, references, path, failures);
}

function idOf(
  name: unknown,
  collection: string,
  { ids }: References,
  path: string,
  failures: Failures,
): number | undefined {
  if (typeof name !== 'string') {
    failures.add(path, `It must be the api_name of a record in ${collection}.`);
    return undefined;
  }
  const id = ids.get(collection)?.get(name);
  if (id === undefined) {
    failures.add(
      path,
      `Neither the project nor the document has the ${singular(collection)} ${name.slice(0, 64)}.`,
    );
  }
  return id;
}

/**
 * Writes an item. Failures get the item's path and the document's field names.
 * @returns null if the item was rejected
 */
export async function writing<T>(
  { path, fields }: Pick<Submitted, 'path' | 'fields'>,
  failures: Failures,
  write: () => Promise<T>,
): Promise<T | null> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ValidationError)) {
      throw error;
    }
    const renamed = error.failures.map((failure) => ({
      ...failure,
      path: documentPath(failure.path, fields),
    }));
    // The body omits rejected references, so the write may report their fields as missing. These already have errors.
    failures.addAll(
      path,
      renamed.filter((failure) => !failures.has(`${path}.${failure.path}`)),
    );
    return null;
  }
}

function documentPath(path: string, fields: readonly DefinitionField[]): string {
  const [column = '', ...rest] = path.split('.');
  const field = fields.find((each) => each.column === column);
  return [field?.name ?? column, ...rest].join('.');
}
