import { node, prepare } from './lib.mjs';

prepare();
process.exit(node(['bench/bench.mjs', ...process.argv.slice(2)]));
