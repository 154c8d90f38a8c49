import { isObject } from '../common/validation/values';
import type { DefinitionField } from './definition-fields';

/** Version of the definition format. */
export const FORMAT = 1;

/** The maximum number of entries in a section. */
export const MAX_ITEMS = 5_000;

/** An item of a definition: values by field name. */
export type Item = Readonly<Record<string, unknown>>;

/** All definitions of a project, by section. References are api_names, never ids. */
export interface Definition {
  version: typeof FORMAT;
  project: Item;
  settings: Item;
  [section: string]: unknown;
}

/** The api_names of the records in each collection, by id. */
export type NamesById = ReadonlyMap<string, ReadonlyMap<number, string>>;

export const itemsIn = (definition: Readonly<Record<string, unknown>>, section: string): Item[] =>
  (definition[section] ?? []) as Item[];

export const apiNameOf = (item: Item): string => item.api_name as string;

export const variationsOf = (experiment: Item): Item[] => (experiment.variations ?? []) as Item[];

/** An item as written in the document. @param record the API record */
export function toItem(fields: readonly DefinitionField[], record: object, names: NamesById): Item {
  const values = record as Record<string, unknown>;
  return Object.fromEntries(
    fields.map(({ name, column, references }) => [
      name,
      references === null ? values[column] : named(values[column], names.get(references)),
    ]),
  );
}

/** The api_name for an id or for a record with an id. For a list, the api_name of each entry. */
function named(value: unknown, names: ReadonlyMap<number, string> | undefined): unknown {
  if (Array.isArray(value)) {
    return value.map((entry: unknown) => named(entry, names));
  }
  const id = isObject(value) ? value.id : value;
  return id === null ? null : names?.get(id as number);
}
