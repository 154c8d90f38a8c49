import { version } from '../../package.json';

/**
 * The release version, shared by the package, the API and the snippet. The build copies package.json next to the code.
 */
export const VERSION: string = version;
