import { prepareTools } from './lib.mjs';

// The checks of types look into the tools of the tests, which a plain `npm ci` leaves out.
prepareTools();
