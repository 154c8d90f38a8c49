import { inputFields } from '../../src/common/validation/fields';
import { RESOURCES } from '../../src/resources/registry';

/* The declared standard resources, so that tests of all resources include new ones. */

export { RESOURCES };

/** Resources that the API creates and changes. */
export const WRITABLE = RESOURCES.filter(({ writes }) => writes !== undefined);

/** Resources that are read-only in the API. */
export const READ_ONLY = RESOURCES.filter(({ writes }) => writes === undefined);

/** Whether it has tools for AI assistants. */
export const hasTools = ({ tools }: { tools?: false }): boolean => tools !== false;

/** Resources whose records have an api_name. */
export const WITH_API_NAME = WRITABLE.filter(({ hasApiName }) => hasApiName);

/** Kinds of records, such as `goals`, that have a description: all of them, except resources that do without. */
export const hasDescription = (kind: string): boolean =>
  WRITABLE.every(({ path, writes }) => path !== kind || fieldsOf(writes).includes('description'));

/** A change of a record that keeps its name. */
export const changeOf = (kind: string): object =>
  WRITABLE.find(({ path }) => path === kind)?.writes?.update.example ?? { description: 'Changed' };

const fieldsOf = (writes: (typeof WRITABLE)[number]['writes']): readonly string[] =>
  writes === undefined ? [] : inputFields(writes.create);

/** Their path segments, such as `goals`. */
export const pathsOf = (resources: typeof RESOURCES): string[] => resources.map(({ path }) => path);
