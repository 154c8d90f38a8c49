import { inputFields } from '../../src/common/validation/fields';
import { RESOURCES } from '../../src/resources/registry';

/* The declared standard resources. Tests that use these lists include new resources automatically. */

export { RESOURCES };

/** Resources that the API creates and changes. */
export const WRITABLE = RESOURCES.filter(({ writes }) => writes !== undefined);

/** Resources that are read-only in the API. */
export const READ_ONLY = RESOURCES.filter(({ writes }) => writes === undefined);

/** Whether a resource has tools for AI assistants. */
export const hasTools = ({ tools }: { tools?: false }): boolean => tools !== false;

/** Resources whose records have an api_name. */
export const WITH_API_NAME = WRITABLE.filter(({ hasApiName }) => hasApiName);

/** Whether records at this path, such as `goals`, have a description. Most do, but some resources omit it. */
export const hasDescription = (kind: string): boolean =>
  WRITABLE.every(({ path, writes }) => path !== kind || fieldsOf(writes).includes('description'));

/** An update of a record that does not change its name. */
export const changeOf = (kind: string): object =>
  WRITABLE.find(({ path }) => path === kind)?.writes?.update.example ?? { description: 'Changed' };

const fieldsOf = (writes: (typeof WRITABLE)[number]['writes']): readonly string[] =>
  writes === undefined ? [] : inputFields(writes.create);

/** The path segments of resources, such as `goals`. */
export const pathsOf = (resources: typeof RESOURCES): string[] => resources.map(({ path }) => path);
