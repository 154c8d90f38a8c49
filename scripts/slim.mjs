/**
 * Removes the parts of installed packages that neither the server nor tests load, about a fifth of a production
 * install.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib.mjs';

const MODULES = join(root, 'node_modules');

const NEVER_LOADED = [
  // A second build of the package, for browsers.
  'typeorm/browser',
  // Files that remain after compiling better-sqlite3.
  'better-sqlite3/build/Release/obj',
  'better-sqlite3/build/Release/obj.target',
  // Sources. The package includes binaries for all platforms and has no install script.
  'better-sqlite3-napi/deps',
];

for (const path of [...NEVER_LOADED, ...sourceMapsOf('swagger-ui-dist')]) {
  rmSync(join(MODULES, path), { recursive: true, force: true });
}

function sourceMapsOf(name) {
  const files = readdirSync(join(MODULES, name)).filter((file) => file.endsWith('.map'));
  return files.map((file) => join(name, file));
}
