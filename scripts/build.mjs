import { build } from './lib.mjs';

process.exit(build());
