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

/** Their path segments, such as `goals`. */
export const pathsOf = (resources: typeof RESOURCES): string[] => resources.map(({ path }) => path);
