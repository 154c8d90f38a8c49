import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './lib.mjs';
import { privateMembers } from './private-members.mjs';

/** The snippet's runtime, in one file for each combination of optional parts. */
const RUNTIMES = ['main', 'main-with-agent', 'main-with-country', 'main-with-agent-and-country'];
const RUNTIME = 'src/publishing/runtime';

/**
 * The special functions for the statistics. They are bundled because @stdlib consists of two hundred packages, which a
 * server would otherwise install and load individually.
 */
export const SPECIAL_FUNCTIONS = 'src/statistics/special-functions.ts';

const growthbook = createRequire(import.meta.url).resolve('@growthbook/growthbook/package.json');

const runtimeOptions = (folder) => ({
  entryPoints: RUNTIMES.map((name) => join(root, RUNTIME, `${name}.ts`)),
  outdir: join(folder, RUNTIME, 'bundles'),
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2020',
  charset: 'utf8',
  legalComments: 'none',
  define: {
    'process.env.NODE_ENV': '"production"',
    // The SDK's evaluator stores these in an object for its feature repository, which the bundles do not contain.
    // Without them, the bundler removes the object.
    'globalThis.fetch': 'undefined',
    'globalThis.crypto': 'undefined',
    'globalThis.EventSource': 'undefined',
  },
  alias: {
    '@growthbook/growthbook': join(root, RUNTIME, 'growthbook.ts'),
    'growthbook-modules': join(dirname(growthbook), 'dist', 'esm'),
  },
  resolveExtensions: ['.ts', '.mjs', '.js'],
  // Otherwise the bundle would depend on the server's compiler options. Fields are assigned, which takes fewer bytes
  // than defining them.
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  logLevel: 'warning',
});

/**
 * Bundles the browser runtime into `src/publishing/runtime/bundles` in the folder.
 * @returns the files, and whether one of them has changed
 */
export async function bundleRuntime(folder) {
  const options = runtimeOptions(folder);
  const drafts = await build(options);
  const members = privateMembers(join(root, RUNTIME), drafts.outputFiles.map(({ text }) => text).join('\n'));
  const { outputFiles } = await build({
    ...options,
    mangleProps: new RegExp(`^(${members.join('|')})$`),
  });
  const changed = outputFiles.map(({ path, text }) => replace(path, asStatements(text))).includes(true);
  return { files: outputFiles.map(({ path }) => path), changed };
}

/** The module as statements for a function body, which declare `start` instead of exporting it. */
const asStatements = (module) =>
  module.replace(/export\{(\S+) as start\};\s*$/, (_, name) => `var start=${name};\n`);

/** Bundles the special functions for the statistics, including their licences, into a file below the folder. */
export async function bundleSpecialFunctions(folder) {
  await build({
    entryPoints: [join(root, SPECIAL_FUNCTIONS)],
    outfile: join(folder, SPECIAL_FUNCTIONS.replace(/ts$/, 'js')),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'eof',
    tsconfigRaw: {},
    logLevel: 'warning',
  });
}

/**
 * Replaces a file atomically, because several test runs may write it while others read it. @returns whether it has
 * changed
 */
function replace(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) {
    return false;
  }
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
  return true;
}

// Tests run the sources, which expect the bundles in the source folder.
if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await bundleRuntime(process.argv[2] ?? root);
}
