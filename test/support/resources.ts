import { RESOURCES } from '../../src/resources/registry';

/* The standard resources as they are declared, so that tests that go over all of them go over a new one too. */

export { RESOURCES };

/** Those that the API makes and changes. */
export const WRITABLE = RESOURCES.filter(({ writes }) => writes !== undefined);

/** Those that it only shows. */
export const READ_ONLY = RESOURCES.filter(({ writes }) => writes === undefined);

/** Has it tools for AI assistants? */
export const hasTools = ({ tools }: { tools?: false }): boolean => tools !== false;

/** Those whose records have an api_name. */
export const WITH_API_NAME = WRITABLE.filter(({ hasApiName }) => hasApiName);

/** Their parts of paths, such as `goals`. */
export const pathsOf = (resources: typeof RESOURCES): string[] => resources.map(({ path }) => path);
