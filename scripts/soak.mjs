import { node, prepare } from './lib.mjs';

prepare();
process.exit(node(['bench/soak.mjs', ...process.argv.slice(2)]));
