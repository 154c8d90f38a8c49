import { join } from 'node:path';
import { node, prepare } from './lib.mjs';

// With GOSSET_GENERATE, the test that compares the generated files with the sources writes the files instead.
prepare();
const jest = [join('node_modules', 'jest', 'bin', 'jest.js'), 'test/e2e/generated.spec.ts'];
const code = node(jest, { ...process.env, GOSSET_GENERATE: '1' });
const format = [
  join('node_modules', 'prettier', 'bin', 'prettier.cjs'),
  '--write',
  '--log-level=warn',
  'docs',
];
process.exit(code || node(format));
