import { join } from 'node:path';
import { node, prepare } from './lib.mjs';

// The test that compares the client's types with the server also regenerates them.
prepare();
const jest = [join('node_modules', 'jest', 'bin', 'jest.js'), 'test/e2e/client-schema.spec.ts'];
process.exit(node(jest, { ...process.env, GOSSET_WRITE_CLIENT: '1' }));
