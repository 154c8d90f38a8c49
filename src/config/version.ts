import { version } from '../../package.json';

/**
 * The version of this release: of the package, the API and the snippet. The build puts package.json beside the code.
 */
export const VERSION: string = version;
