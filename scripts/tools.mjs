import { prepareTools } from './lib.mjs';

// Type checks need the test tools, which a plain `npm ci` does not install.
prepareTools();
