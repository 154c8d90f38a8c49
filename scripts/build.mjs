import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compiler, problemOf } from './compile.mjs';
import { COMPLETE, node, root } from './lib.mjs';
import { bundlePrograms } from './program-bundle.mjs';

try {
  rmSync(COMPLETE, { force: true });
  await new Compiler().build();
  // The API description for the program that AI assistants start (dist/mcp-tools.json).
  process.exitCode = node([join('dist', 'src', 'mcp-tools.js')]);
  if (process.exitCode === 0) {
    await bundlePrograms();
    // Process managers may start either file.
    writeFileSync(join(root, 'dist', 'main.js'), "require('./src/main.js');\n");
    writeFileSync(COMPLETE, '');
  }
} catch (error) {
  console.error(problemOf(error));
  process.exitCode = 1;
}
