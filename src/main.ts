import { join } from 'node:path';
import { Bundle } from './platform/bundle';
import { limitHeapGrowth } from './platform/heap-growth';

limitHeapGrowth();
// `npm run dev` compiles single files and writes no bundle.
const bundle = Bundle.read(join(__dirname, '..'), 'server');
if (bundle === null) {
  void import('./server.js');
} else {
  bundle.run();
}
