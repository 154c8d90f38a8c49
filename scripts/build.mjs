import { join } from 'node:path';
import { Compiler, problemOf } from './compile.mjs';
import { node } from './lib.mjs';

try {
  await new Compiler().build();
  // What the program for AI assistants knows of the API (dist/mcp-tools.json).
  process.exitCode = node([join('dist', 'src', 'mcp-tools.js')]);
} catch (error) {
  console.error(problemOf(error));
  process.exitCode = 1;
}
