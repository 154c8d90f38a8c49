import { version } from '../../package.json';

/** The release version, shared by the package, the API and the snippet. The build puts package.json beside the code. */
export const VERSION: string = version;
